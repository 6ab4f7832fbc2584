import { findKeys } from './candidates/key-phrases';
import { findItemsByArithmetic } from './candidates/line-items/items-by-arithmetic';
import { findItemsByRecords } from './candidates/line-items/items-by-records';
import { findItemsBySum } from './candidates/line-items/items-by-sum';
import { findLineItems } from './candidates/line-items/line-items';
import { settlePrices } from './candidates/line-items/prices-of-rows';
import { findParties } from './candidates/parties/parties';
import { findAddressOnPages } from './candidates/parties/sender-address';
import { findValues, learnRules } from './candidates/values';
import { tabulateTaxes } from './consistency/tax-details';
import { findTaxRows, sumTaxRows } from './consistency/tax-rows';
import { layOutPage } from './layout/page-layout';
import type { Recognition, RecognizedPage } from './recognition';
import { scoreCells } from './scoring/cells';
import { scoreFields } from './scoring/fields';
import { LEAST_CONFIDENCE, type Model, packagedModel } from './scoring/model';
import { guessLanguage } from './text/language';

/** All stages behind the text stage: what the words of the pages mean. */
export function analyze(
  recognized: RecognizedPage[],
  locale?: string,
  model: Model = packagedModel,
  least: number = LEAST_CONFIDENCE,
): Pick<Recognition, 'fields' | 'tables' | 'language'> {
  const pages = recognized.map((page) => layOutPage(page));
  const rules = learnRules(pages, locale);
  const keys = pages.flatMap((page) => findKeys(page));
  const values = pages.flatMap((page) => findValues(page, rules));
  const underHead = findLineItems(pages, keys, rules.mark);
  const listed = underHead.rows.length > 0 ? underHead : findItemsByRecords(pages, rules.mark);
  const priced = listed.rows.length > 0 ? listed : findItemsByArithmetic(pages, values, rules.mark);
  const summed = priced.rows.length > 0 ? priced : findItemsBySum(pages, keys, values);
  const items = summed.rows.length > 0 ? summed : findLineItems(pages, keys, rules.mark, false);
  const isItem = (page: number, line: number) => items.lines.has(`${page}:${line}`);
  const first = pages[0];
  const firstKeys = keys.filter((key) => key.page === first?.number && !isItem(key.page, key.line));
  const onFirst = first ? findParties(first, firstKeys, (line) => isItem(first.number, line)) : [];
  const parties = [...onFirst, ...findAddressOnPages(pages.slice(1), onFirst)];
  const taxRows = findTaxRows(pages, values, isItem, keys);
  const findings = { pages, keys, values, parties, taxSums: sumTaxRows(taxRows, values), isItem };
  const fields = scoreFields(findings, model, least);
  const rates = values.filter((value) => value.type === 'rate');
  const taxes = tabulateTaxes(taxRows, fields, rates, items.rows);
  const language = guessLanguage(pages.flatMap((page) => page.tokens.map((token) => token.text)))?.code ?? null;
  const rows = settlePrices(
    items.rows,
    values.filter((value) => value.type === 'amount' && !isItem(value.page, value.line)),
  );
  const tables = {
    ...(taxes.length > 0 && { tax_details: taxes }),
    ...(rows.length > 0 && { line_items: rows }),
  };
  return { fields, tables: scoreCells(tables, fields, pages, model), language };
}
