import type { PageObject, SuggestedEdit } from '../api/types';

/** What is to become of a page. */
export interface PagePlan {
  readonly page: string;
  /** Where it is in the document as it is now; pages of a suggestion may be in another order. */
  readonly number: number;
  /** Degrees, clockwise, from the page as it is in the file. */
  readonly turned: number;
  readonly wasTurned: number;
  readonly isOut: boolean;
  /** A document begins with it. */
  readonly isCut: boolean;
  /** What is suggested of the document that it is a page of. */
  readonly goal?: Goal;
}

/** Where a suggested document is to go, when not into the same queue, and the values it begins with. */
export interface Goal {
  readonly queue: string | null;
  readonly values: Readonly<Record<string, string>>;
}

/** One document that comes of it. */
export interface Part {
  readonly pages: readonly { readonly page: string; readonly rotation_deg: number }[];
  readonly goal: Goal | undefined;
}

/** Every page as it is. */
export function planOf(pages: readonly PageObject[]): PagePlan[] {
  return pages.map(({ url: page, number, rotation_deg }) => ({
    ...{ page, number, turned: rotation_deg, wasTurned: rotation_deg },
    ...{ isOut: false, isCut: false },
  }));
}

/** Pages as a suggestion has them; what it does not name is left out, at the end. */
export function suggestedPlan(pages: readonly PageObject[], { documents }: SuggestedEdit, queue: string): PagePlan[] {
  const known = new Map(planOf(pages).map((one) => [one.page, one]));
  const named = documents.flatMap((document, nth) => {
    const goal = { queue: document.target_queue === queue ? null : document.target_queue, values: document.values };
    return document.pages
      .flatMap(({ page, rotation, deleted }) => {
        const before = known.get(page);
        return before ? [{ ...before, turned: rotation, isOut: deleted, goal }] : [];
      })
      .map((one, i) => ({ ...one, isCut: nth > 0 && i === 0 }));
  });
  const rest = [...known.values()].filter(({ page }) => !named.some((one) => one.page === page));
  return [...named, ...rest.map((one) => ({ ...one, isOut: true }))];
}

/** The documents that come of it; none when every page is left out. */
export function partsOf(plan: readonly PagePlan[]): Part[] {
  const parts: PagePlan[][] = [[]];
  for (const one of plan) {
    if (one.isCut) parts.push([]);
    if (!one.isOut) parts.at(-1)?.push(one);
  }
  return parts
    .filter((kept) => kept.length > 0)
    .map((kept) => ({ pages: kept.map(({ page, turned }) => ({ page, rotation_deg: turned })), goal: kept[0]?.goal }));
}

/** Whether there is anything to do. */
export function isChanged(plan: readonly PagePlan[]): boolean {
  return plan.some(
    ({ turned, wasTurned, isOut, isCut, number, goal }, i) =>
      turned !== wasTurned || isOut || isCut || hasGoal(goal) || number < (plan[i - 1]?.number ?? 0),
  );
}

/** The call that does it, below the annotation's URL (API: annotations.md section 8). */
export function editOf(parts: readonly Part[]): { readonly path: string; readonly body: object } {
  if (!parts.some(({ goal }) => hasGoal(goal))) {
    return { path: 'edit', body: { documents: parts.map(({ pages }) => ({ pages })) } };
  }
  const edits = parts.map(({ pages, goal }) => ({
    parent_pages: pages,
    ...(goal?.queue && { target_queue: goal.queue }),
    ...(goal && { values: goal.values }),
  }));
  return edits.length === 1
    ? { path: 'edit_pages/in_place', body: edits[0] as object }
    : { path: 'edit_pages', body: { edit: edits, edit_data_source: 'suggest' } };
}

function hasGoal(goal: Goal | undefined): boolean {
  return goal !== undefined && (goal.queue !== null || Object.keys(goal.values).length > 0);
}
