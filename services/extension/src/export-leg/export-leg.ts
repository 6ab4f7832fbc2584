import { annotation, type events } from '@intake/contracts';
import { type Client, Refusal, systemCaller } from '@intake/rpc';

/** The part of the annotation service that the export leg needs. */
export type Annotations = Pick<Client<typeof annotation.AnnotationServiceService>, 'finishExport'>;

/**
 * What stands between `exporting` and `exported`: the connector's save call and the export hooks (API:
 * hooks-and-connectors.md section 2.1). Neither is called yet, so the leg is over at once. May run again for the same
 * event: the annotation service lets only the version that entered `exporting` go on.
 */
export async function runExportLeg(annotations: Annotations, changed: events.AnnotationChanged): Promise<void> {
  const { annotationId, organizationId, version } = changed;
  const request = annotation.FinishExportRequest.fromPartial({ annotationId, version, failed: false });
  try {
    await annotations.finishExport(request, systemCaller('extension', organizationId));
  } catch (error) {
    // Gone or moved on meanwhile: there is no leg to finish.
    if (error instanceof Refusal && (error.reason === 'NOT_FOUND' || error.reason === 'CONFLICT_STATUS')) return;
    throw error;
  }
}
