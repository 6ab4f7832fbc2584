import { answers, listOf } from '@intake/resources';
import { Refusal } from '@intake/rpc';
import { answersObject } from '../openapi/named-schema';
import { route } from '../route';
import { GRANULARITIES, readWords, toItems } from '../text/page-text';
import { findPhrase } from '../text/search';
import type { RouteContext } from './index';

/** API: limits.md. */
const MOST_PAGES = 20;
/** Pages may have to be drawn first. */
const BARCODES_MS = 120_000;
const SHORTEST_PHRASE = 2;
const LONGEST_PHRASE = 256;

/** What stands where on the pages of an annotation. API: pages.md. */
export function pageTextRoutes({ services, lookups }: RouteContext) {
  const { storage } = services;
  return [
    route('GET', '/annotations/:id/page_data', {
      allow: 'readAnnotations',
      doc: answersObject(
        'Words, lines, texts or barcodes of the pages with their places',
        { results: listOf(answers.object) },
        {
          query: [
            { name: 'granularity', schema: { type: 'string', enum: GRANULARITIES } },
            { name: 'page_numbers', schema: { type: 'string' }, description: 'Several separated by commas.' },
          ],
        },
      ),
      timeoutMs: BARCODES_MS,
      call: async ({ parameters, query }, caller) => {
        const wanted = query.get('granularity');
        const granularity = GRANULARITIES.find((one) => one === wanted);
        if (wanted === undefined) query.refuse('granularity', 'This field is required.');
        else if (!granularity) query.refuse('granularity', `"${wanted}" is not a valid choice.`);
        const given = query.ids('page_numbers');
        query.check();
        const numbers = given.length > 0 ? given : Array.from({ length: MOST_PAGES }, (_, i) => i + 1);
        await lookups.annotation(parameters.id, caller);
        const request = { annotationId: parameters.id, numbers: [...new Set(numbers)].slice(0, MOST_PAGES) };
        if (granularity === 'barcodes') {
          const { pages } = await storage.getPageBarcodes(request, caller, { timeoutMs: BARCODES_MS });
          if (pages.length === 0) throw new Refusal('NOT_FOUND', { detail: 'There is no spatial data.' });
          return pages.map(({ number, barcodes }) => ({ number, granularity, items: barcodes }));
        }
        const { pages } = await storage.getPageTexts(request, caller);
        if (pages.length === 0) throw new Refusal('NOT_FOUND', { detail: 'There is no spatial data.' });
        return pages.map(({ number, wordsJson }) => ({
          number,
          granularity,
          items: toItems(readWords(wordsJson), granularity ?? 'words'),
        }));
      },
      reply: (pages) => ({ results: pages.map(({ number, ...page }) => ({ page_number: number, ...page })) }),
    }),
    route('GET', '/annotations/:id/search', {
      allow: 'readAnnotations',
      doc: answersObject(
        'Find a phrase on the pages',
        { results: listOf(answers.object), status: answers.string },
        {
          query: [
            {
              name: 'phrase',
              schema: { type: 'string', minLength: SHORTEST_PHRASE, maxLength: LONGEST_PHRASE },
            },
            { name: 'tolerance', schema: { type: 'integer', minimum: 0 } },
          ],
        },
      ),
      call: async ({ parameters, query }, caller) => {
        const phrase = query.get('phrase')?.trim() ?? '';
        if (phrase === '') query.refuse('phrase', 'This field is required.');
        else if (phrase.length < SHORTEST_PHRASE) {
          query.refuse('phrase', `Ensure this field has at least ${SHORTEST_PHRASE} characters.`);
        }
        if (phrase.length > LONGEST_PHRASE) {
          query.refuse('phrase', `Ensure this field has no more than ${LONGEST_PHRASE} characters.`);
        }
        const [tolerance = Math.floor(phrase.length / 4)] = query.ids('tolerance');
        query.check();
        await lookups.annotation(parameters.id, caller);
        const { pages } = await storage.getPageTexts({ annotationId: parameters.id, numbers: [] }, caller);
        return pages.flatMap(({ number, source, wordsJson }) =>
          findPhrase(readWords(wordsJson), phrase, source === 'ocr' ? Math.min(tolerance, phrase.length - 1) : 0).map(
            (rectangle) => ({ rectangle, page: number }),
          ),
        );
      },
      reply: (results) => ({ results, status: 'ok' }),
    }),
  ];
}
