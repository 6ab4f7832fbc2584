/** What is to become of a page. */
export interface PagePlan {
  readonly page: string;
  /** Degrees, clockwise. */
  readonly turned: number;
  readonly wasTurned: number;
  readonly isOut: boolean;
  /** A document begins with it. */
  readonly isCut: boolean;
}

/** The documents that come of it, as the API takes them (annotations.md section 8); none when every page is left out. */
export function partsOf(plan: readonly PagePlan[]) {
  const parts: { pages: { page: string; rotation_deg: number }[] }[] = [{ pages: [] }];
  for (const { page, turned, isOut, isCut } of plan) {
    if (isCut) parts.push({ pages: [] });
    if (!isOut) parts.at(-1)?.pages.push({ page, rotation_deg: turned });
  }
  return parts.filter(({ pages }) => pages.length > 0);
}

/** Whether there is anything to do. */
export function isChanged(plan: readonly PagePlan[]): boolean {
  return plan.some(({ turned, wasTurned, isOut, isCut }) => turned !== wasTurned || isOut || isCut);
}
