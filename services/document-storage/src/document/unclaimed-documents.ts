import { annotation as contract } from '@intake/contracts';
import { type Caller, type Client, systemCaller } from '@intake/rpc';
import type { DocumentStore } from './document.store';
import type { OwnDocuments } from './own-documents';

export interface UnclaimedDocumentsOptions {
  readonly documents: Pick<DocumentStore, 'findUnclaimed' | 'claim'>;
  readonly ownDocuments: Pick<OwnDocuments, 'remove'>;
  readonly annotations: Pick<Client<typeof contract.AnnotationServiceService>, 'listAnnotations'>;
}

const AT_ONCE = 100;

/**
 * Removes documents that were cut for annotations which were never made: the annotation was changed meanwhile, or its service
 * ended. Answers how many.
 */
export function createSweepUnclaimed({ documents, ownDocuments, annotations }: UnclaimedDocumentsOptions) {
  const hasAnnotation = async (caller: Caller, id: number): Promise<boolean> => {
    const request = contract.ListAnnotationsRequest.fromPartial({ documentIds: [id], page: 1, pageSize: 1 });
    return (await annotations.listAnnotations(request, caller)).total > 0;
  };
  return async (before: Date): Promise<number> => {
    let removed = 0;
    for (const { id, organizationId } of await documents.findUnclaimed(before, AT_ONCE)) {
      const caller = systemCaller('document-storage', organizationId);
      if (await hasAnnotation(caller, id)) await documents.claim(id);
      else {
        await ownDocuments.remove(caller, id);
        removed += 1;
      }
    }
    return removed;
  };
}
