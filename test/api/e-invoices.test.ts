import { type Api, type Json, startSystem, type TestSystem, toForm, waitFor } from '@intake/testkit';

let system: TestSystem;
let api: Api;

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
  await api.patch(`/queues/${system.queueId}`, { settings: { accepted_mime_types: ['text/xml', 'application/pdf'] } });
});
afterAll(() => system?.stop());

const body = `<FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa><Data>2024-05-06</Data><Numero>12/A</Numero><ImportoTotaleDocumento>122.00</ImportoTotaleDocumento></DatiGeneraliDocumento></DatiGenerali>
  <DatiBeniServizi><DettaglioLinee><Descrizione>Servizio</Descrizione><Quantita>2.00</Quantita><PrezzoUnitario>50.00</PrezzoUnitario><PrezzoTotale>100.00</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA></DettaglioLinee>
  <DatiRiepilogo><AliquotaIVA>22.00</AliquotaIVA><ImponibileImporto>100.00</ImponibileImporto><Imposta>22.00</Imposta></DatiRiepilogo></DatiBeniServizi></FatturaElettronicaBody>`;
const fattura = (bodies: string) =>
  Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><p:FatturaElettronica versione="FPR12" xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"><FatturaElettronicaHeader><CedentePrestatore><DatiAnagrafici><Anagrafica><Denominazione>Società Esempio</Denominazione></Anagrafica></DatiAnagrafici></CedentePrestatore></FatturaElettronicaHeader>${bodies}</p:FatturaElettronica>`,
  );

/** Uploads XML and answers its annotation when the import is over. */
async function send(fileName: string, content: Buffer): Promise<Json> {
  const task = await api.post(`/uploads?queue=${system.queueId}`, toForm([{ fileName, content }]));
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task.url), { timeoutMs: 60_000 });
  return waitFor(
    'the end of the import',
    async () => {
      const found = await api.get(`/annotations/${annotationIds[0]}`);
      return found.status === 'importing' ? null : found;
    },
    { timeoutMs: 60_000 },
  );
}

function findNode(nodes: Json[], schemaId: string): Json | undefined {
  for (const node of nodes) {
    if (node.schema_id === schemaId) return node;
    const found = findNode(node.children ?? [], schemaId);
    if (found) return found;
  }
  return undefined;
}

test('XML alone becomes an annotation with values, positions and a page', async () => {
  const annotation = await send('fattura.xml', fattura(body));
  expect(annotation).toMatchObject({ status: 'to_review', einvoice: true, messages: null });
  const { content } = await api.get(`/annotations/${annotation.id}/content`);
  const total = findNode(content, 'amount_total');
  expect(total?.content).toMatchObject({ rir_confidence: 1, page: 1, position: expect.any(Array) });
  expect(findNode(content, 'document_id')?.content.value).toBe('12/A');
  const page = await api.request('GET', `${annotation.pages[0]}/preview`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'image/png']);
});

test.each<[string, (text: string) => Buffer]>([
  ['UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16, the big end first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le')],
  ['ISO-8859-1', (text) => Buffer.from(text, 'latin1')],
  ['windows-1252', (text) => Buffer.from(text, 'latin1')],
])('XML in %s is read', async (encoding, encode) => {
  const text = fattura(body)
    .toString()
    .replace('UTF-8', encoding.split(/[ ,]/, 1)[0] ?? '');
  const annotation = await send('fattura', encode(text));
  expect(annotation).toMatchObject({ status: 'to_review', einvoice: true });
  const { content } = await api.get(`/annotations/${annotation.id}/content`);
  expect(findNode(content, 'sender_name')?.content.value).toBe('Società Esempio');
});

test('what a person has to decide stands in the messages', async () => {
  expect(await send('two.xml', fattura(body + body))).toMatchObject({
    einvoice: true,
    messages: [{ id: 'all', type: 'error', content: expect.stringContaining('holds 2 invoices') }],
  });
});

test('other XML is not imported, and the reason says why', async () => {
  expect(await send('order.xml', Buffer.from('<order><id>1</id></order>'))).toMatchObject({
    status: 'failed_import',
    einvoice: false,
    messages: [{ type: 'error', content: expect.stringContaining('no electronic invoice') }],
  });
});
