/** What a column of line items holds; `unknown` when its heading says nothing, `other` when it is none of the rest. */
export type Meaning =
  | 'position'
  | 'code'
  | 'description'
  | 'quantity'
  | 'uom'
  | 'rate'
  | 'tax'
  | 'amount_base'
  | 'amount'
  | 'amount_total_base'
  | 'amount_total'
  | 'other'
  | 'unknown';

/** Columns of numbers. */
export const NUMERIC = new Set<Meaning>([
  'quantity',
  'rate',
  'tax',
  'amount_base',
  'amount',
  'amount_total_base',
  'amount_total',
]);
/** Columns of amounts. */
export const MONEY = new Set<Meaning>(['amount_base', 'amount', 'amount_total_base', 'amount_total', 'tax']);

/** Headings with several meanings take what the others leave. */
export function settleMeanings(options: Meaning[][]): Meaning[] {
  const settled = options.map((choice): Meaning | undefined =>
    choice.length === 1 ? choice[0] : choice.length === 0 ? 'unknown' : undefined,
  );
  const used = () =>
    new Set<Meaning | undefined>(settled.filter((one) => one !== undefined && one !== 'other' && one !== 'unknown'));
  options.forEach((choice, at) => {
    if (settled[at] !== undefined) return;
    // "Item" alone is what is sold; beside a description it is the code.
    const free = choice.filter((one) => !used().has(one));
    const ranked = free.length > 0 ? free : choice;
    const elsewhere = (meaning: Meaning) => options.some((other, index) => index !== at && other.includes(meaning));
    settled[at] = ranked.includes('description') && !elsewhere('description') ? 'description' : ranked[0]!;
  });
  // Two columns of the same kind of amount: the right one is the total of the line, a second rate is the tax.
  const again = (meaning: Meaning, other: Meaning, from: 'left' | 'right') => {
    const where = settled.flatMap((one, at) => (one === meaning ? [at] : []));
    if (where.length > 1 && !settled.includes(other)) settled[from === 'right' ? where.at(-1)! : where[0]!] = other;
  };
  again('rate', 'tax', 'right');
  again('amount_base', 'amount_total_base', 'right');
  again('amount_total_base', 'amount_base', 'left');
  again('amount_total_base', 'amount_total', 'right');
  const seen = new Set<Meaning>();
  return settled.map((one) => {
    const meaning = one ?? 'unknown';
    if (meaning === 'other' || meaning === 'unknown' || !seen.has(meaning)) {
      seen.add(meaning);
      return meaning;
    }
    return 'other';
  });
}
