/** Whether a text matches a pattern with `*` (any run) and `?` (one character), whatever the case. In time |pattern| x |text|. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const wanted = [...pattern.toLowerCase()];
  const given = [...text.toLowerCase()];
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let i = 0; i < given.length; ) {
    if (wanted[at] === '*') {
      star = at;
      resume = i;
      at += 1;
    } else if (wanted[at] === '?' || wanted[at] === given[i]) {
      at += 1;
      i += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      i = resume;
    } else {
      return false;
    }
  }
  while (wanted[at] === '*') at += 1;
  return at === wanted.length;
}
