import { findKeys } from './candidates/key-phrases';
import { findParties } from './candidates/parties';
import { findValues, learnRules } from './candidates/values';
import { findTaxRows, sumTaxRows } from './consistency/tax-rows';
import { layOutPage } from './layout/page-layout';
import type { Recognition, RecognizedPage } from './recognition';
import { scoreFields } from './scoring/fields';
import { guessLanguage } from './text/language';

/** All stages behind the text stage: what the words of the pages mean. */
export function analyze(
  recognized: RecognizedPage[],
  locale?: string,
): Pick<Recognition, 'fields' | 'tables' | 'language'> {
  const pages = recognized.map((page) => layOutPage(page));
  const rules = learnRules(pages, locale);
  const keys = pages.flatMap((page) => findKeys(page));
  const values = pages.flatMap((page) => findValues(page, rules));
  const first = pages[0];
  const parties = first
    ? findParties(
        first,
        keys.filter((key) => key.page === first.number),
      )
    : [];
  const isItem = () => false;
  const taxRows = findTaxRows(pages, values, isItem);
  const fields = scoreFields({ pages, keys, values, parties, taxSums: sumTaxRows(taxRows), isItem });
  const language = guessLanguage(pages.flatMap((page) => page.tokens.map((token) => token.text)))?.code ?? null;
  return { fields, tables: {}, language };
}
