import type { Segment } from '../layout/page-layout';
import type { Position } from '../recognition';
import { guessLanguage, languageValue } from '../text/language';
import type { Findings, Put, Scored } from './findings';

const TYPES: [type: string, pattern: RegExp, score: number][] = [
  [
    'credit_note',
    /\b(?:credit note|credit memo|gutschrift|stornorechnung|facture d.avoir|avoir|dobropis|opravný daňový doklad|opravná faktúra|faktura koryguj|nota di credito|nota de crédito|factura rectificativa|creditnota|creditfactuur|kreditnota|kreditfaktura|hyvityslasku|módosító számla|helyesbítő számla|sztornó|note de crédit|factură storno)/iu,
    1.2,
  ],
  [
    'proforma',
    /\b(?:pr[oó] ?-?forma|zálohová faktura|zálohová faktúra|zálohový list|predfaktúra|díjbekérő|ennakkolasku)/iu,
    1,
  ],
  [
    'delivery_note',
    /^(?:delivery (?:note|docket|ticket)|packing (?:slip|list)|lieferschein|bon de livraison|bordereau de livraison|documento di trasporto|d\.? ?d\.? ?t\.?|dodací list|dokument wz|wydanie zewnętrzne|pakbon|leverbon|afleverbon|vrachtbrief|albarán|nota de entrega|guia de (?:remessa|transporte)|szállítólevél|følgeseddel|leveringsseddel|pakkseddel|följesedel|leveranssedel|lähetyslista|lähete|aviz de însoțire)(?!\p{L})/imu,
    0.3,
  ],
  [
    'order',
    /^(?:purchase order|bestellung|bon de commande|objednávka|ordine (?:d.acquisto|di acquisto)|pedido|orden de compra|inkooporder|zamówienie|megrendelés|indkøbsordre|innkjøpsordre|inköpsorder|ostotilaus|nota de encomenda|comandă)\s*$/imu,
    0,
  ],
  ['debit_note', /\b(?:debit note|lastschriftanzeige|vrubopis|ťarchopis)/iu, 0.6],
  [
    'receipt',
    /\b(?:receipt|kassenbon|quittung|ticket de caisse|účtenka|paragon|scontrino|bonnetje|cash bill|cash sales|cashier|kvitto|kvittering|kuitti|nyugta|bon fiscal)\b/iu,
    0.2,
  ],
  [
    'tax_invoice',
    /\b(?:invoice|rechnung|faktura|faktúra|facture|fattura|factura|factuur|fatura|számla|lasku|daňový doklad|tax invoice)/iu,
    0.5,
  ],
];

const RECEIPT = TYPES.find(([type]) => type === 'receipt')![1];

/** Attributes of the whole document: what it is and its language. */
export function scoreAttributes(findings: Findings, put: Put): void {
  const top = findings.pages[0]?.segments.filter((segment) => segment.box[1] < findings.pages[0]!.height * 0.5) ?? [];
  const scored: Scored[] = [];
  for (const [type, pattern, score] of TYPES) {
    // "Gutschrift" heads a column, too.
    const isTitle = ({ line }: Segment) => type !== 'credit_note' || top.filter((one) => one.line === line).length < 4;
    const segment = top
      .filter((one) => pattern.test(one.text) && isTitle(one))
      .sort((a, b) => height(b) - height(a))[0];
    if (!segment) continue;
    const title = height(segment) / findings.pages[0]!.unit > 1.25 || segment.tokens.length <= 4 ? 0.8 : -0.6;
    scored.push({
      value: type,
      raw: segment.text,
      page: 1,
      box: segment.box,
      tokens: segment.tokens,
      score: score + title,
      hints: { [type]: 1, title: title > 0 ? 1 : 0 },
    });
  }
  if (scored.length === 0) scored.push(withoutTitle(findings));
  put('document_type', scored);
  const language = guessLanguage(findings.pages.flatMap((page) => page.tokens.map((token) => token.text)));
  if (language) {
    const score = Math.log(language.confidence / (1 - language.confidence));
    put('language', [{ value: languageValue(language.code), raw: '', page: 1, box: null, tokens: [], score }]);
  }
}

/** What has no title is an invoice, unless it tells what was paid in the shop: receipts say what they are at their end. */
function withoutTitle({ pages, keys }: Findings): Scored {
  const isPaid = keys.some(({ meanings }) =>
    meanings.some(({ field }) => field === '_tendered' || field === '_change'),
  );
  const isLast = pages.length === 1 && pages[0]!.segments.some(({ text }) => RECEIPT.test(text));
  const value = isPaid || isLast ? 'receipt' : 'tax_invoice';
  return { value, raw: '', page: 1, box: null, tokens: [], score: -0.2, hints: { [value]: 1 } };
}

const height = ({ box }: { box: Position }) => box[3] - box[1];
