const [ROW, LEFT, BAR, TOP] = [34, 330, 320, 54];

/**
 * The figures as bars against their targets (the line in the middle), as SVG. Figures without a target are written only.
 * @param {{name: string, value: number, unit: string, target?: number, least?: boolean}[]} figures `least`: more is better
 * @param {string} title
 */
export function draw(figures, title) {
  const height = TOP + figures.length * ROW + 16;
  const rows = figures.map(({ name, value, unit, target, least }, i) => {
    const y = TOP + i * ROW;
    const share = target === undefined ? 0 : Math.min(2, value / target);
    const isMet = target === undefined || (least ? value >= target : value <= target);
    const bar =
      target === undefined
        ? ''
        : `<rect x="${LEFT}" y="${y}" width="${(share / 2) * BAR}" height="18" class="${isMet ? 'met' : 'missed'}"/>`;
    const aim = target === undefined ? '' : ` (aim ${least ? '&#8805;' : '&#8804;'} ${target})`;
    return `<text x="${LEFT - 12}" y="${y + 14}" text-anchor="end">${escapeText(name)}</text>${bar}
<text x="${LEFT + BAR + 12}" y="${y + 14}">${value} ${escapeText(unit)}${aim}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="920" height="${height}" viewBox="0 0 920 ${height}" font-family="sans-serif" font-size="13">
<style>.met{fill:#2e8540}.missed{fill:#c5221f}text{fill:#222}</style>
<rect width="920" height="${height}" fill="#fff"/>
<text x="16" y="26" font-size="16">${escapeText(title)}</text>
<line x1="${LEFT + BAR / 2}" y1="${TOP - 8}" x2="${LEFT + BAR / 2}" y2="${height - 10}" stroke="#888" stroke-dasharray="4 3"/>
${rows.join('\n')}
</svg>
`;
}

const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
