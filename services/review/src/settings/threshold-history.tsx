import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../api/queries';
import type { Schema } from '../api/types';
import { indexSchema } from '../review/content';
import { texts } from '../texts';
import { formatShare } from '../ui/format';
import { Problem } from '../ui/problem';
import { countedFields, outcomeAt, pastValues } from './past';

const t = texts.settings.queue.history;
const [WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP] = [480, 150, 44, 16, 22, 8];
/** Thresholds of the chart, in percent. */
const STEPS = Array.from({ length: 51 }, (_, i) => 50 + i);

/** What a threshold would have automated of the documents that people confirmed, and how much of that they corrected. */
export function ThresholdHistory({
  queueId,
  schema,
  threshold,
}: {
  readonly queueId: number;
  readonly schema: Schema;
  /** Percent. */
  readonly threshold: number;
}) {
  const index = useMemo(() => indexSchema(schema.content), [schema]);
  const fields = useMemo(() => countedFields(index), [index]);
  const past = useQuery(queries.past(queueId, fields));
  const documents = useMemo(() => (past.data ?? []).map((nodes) => pastValues(nodes, index)), [past.data, index]);
  const curve = useMemo(() => STEPS.map((step) => outcomeAt(documents, step / 100)), [documents]);
  if (past.error) return <Problem error={past.error} onRetry={() => void past.refetch()} />;
  if (!past.data) return <p className="hint">{t.reading}</p>;
  if (documents.length === 0) return <p className="hint">{t.none}</p>;
  const now = outcomeAt(documents, threshold / 100);
  const x = (step: number) => LEFT + ((WIDTH - LEFT - RIGHT) * (step - 50)) / 50;
  const y = (share: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
  const line = (share: (one: (typeof curve)[number]) => number) =>
    STEPS.map((step, i) => `${x(step)},${y(share(curve[i] as (typeof curve)[number]))}`).join(' ');
  return (
    <figure className="threshold">
      <figcaption role="status">
        <strong>{t.automated(formatShare(now.automated, now.documents), now.documents)}</strong>
        {now.automated > 0 && <>; {t.wrong(formatShare(now.automatedWrong, now.automated), now.automatedWrong)}</>}{' '}
        {t.values(formatShare(now.passed, now.values), formatShare(now.passedWrong, now.passed))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t.title}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="grid-line" x1={LEFT} x2={WIDTH - RIGHT} y1={y(share)} y2={y(share)} />
            <text x={LEFT - 8} y={y(share) + 4} textAnchor="end">
              {share * 100} %
            </text>
          </g>
        ))}
        {[50, 60, 70, 80, 90, 100].map((step) => (
          <text key={step} x={x(step)} y={HEIGHT - 6} textAnchor="middle">
            {step}
          </text>
        ))}
        <line
          className="threshold-now"
          x1={x(Math.max(50, threshold))}
          x2={x(Math.max(50, threshold))}
          y1={TOP}
          y2={HEIGHT - BOTTOM}
        />
        <polyline className="line-automated" points={line(({ automated, documents: n }) => automated / n)} />
        <polyline
          className="line-wrong"
          points={line(({ automated, automatedWrong }) => (automated === 0 ? 0 : automatedWrong / automated))}
        />
      </svg>
      <ul className="legend">
        <li>
          <span className="swatch swatch-automated" /> {t.legendAutomated}
        </li>
        <li>
          <span className="swatch swatch-wrong" /> {t.legendWrong}
        </li>
      </ul>
    </figure>
  );
}
