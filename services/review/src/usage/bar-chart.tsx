interface Group {
  readonly name: string;
  readonly values: readonly number[];
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [1000, 260, 46, 26, 10];
const LINES = 4;

/** Bars beside each other, a group for each period. The table below says the same in numbers. */
export function BarChart({
  title,
  labels,
  groups,
}: {
  readonly title: string;
  readonly labels: readonly string[];
  readonly groups: readonly Group[];
}) {
  const top = niceTop(Math.max(1, ...groups.flatMap(({ values }) => values)));
  const room = (WIDTH - LEFT) / groups.length;
  const bar = Math.min(26, (room * 0.8) / labels.length);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const everyNth = Math.ceil(groups.length / 12);
  return (
    <figure className="card chart">
      <figcaption>
        <h2>{title}</h2>
        <ul className="legend">
          {labels.map((label, i) => (
            <li key={label}>
              <span className={`swatch series-${i}`} /> {label}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {Array.from({ length: LINES + 1 }, (_, i) => (top / LINES) * i).map((value) => (
          <g key={value}>
            <line className="grid-line" x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
            <text x={LEFT - 8} y={y(value) + 4} textAnchor="end">
              {value}
            </text>
          </g>
        ))}
        {groups.map(({ name, values }, at) => {
          const middle = LEFT + room * (at + 0.5);
          return (
            <g key={name}>
              {labels.map((label, i) => (
                <rect
                  key={label}
                  className={`series-${i}`}
                  x={middle + (i - labels.length / 2) * bar + 1}
                  y={y(values[i] ?? 0)}
                  width={Math.max(1, bar - 2)}
                  height={y(0) - y(values[i] ?? 0)}
                  rx={2}
                >
                  <title>{`${name}, ${label}: ${values[i] ?? 0}`}</title>
                </rect>
              ))}
              {at % everyNth === 0 && (
                <text x={middle} y={HEIGHT - 6} textAnchor="middle">
                  {name}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

/** A round number not below the largest, divisible by the number of lines. */
function niceTop(largest: number): number {
  const step = 10 ** Math.floor(Math.log10(largest));
  const top = [1, 2, 4, 5, 8, 10].map((times) => times * step).find((one) => one >= largest) ?? largest;
  return Math.ceil(top / LINES) * LINES;
}
