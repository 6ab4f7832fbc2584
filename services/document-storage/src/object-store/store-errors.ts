const NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_STREAM_PREMATURE_CLOSE)$/;
/** Codes of S3 and MinIO for troubles that pass. An upload in parts that has gone begins anew. */
const PASSING =
  /^(NoSuchUpload|SlowDown|ServiceUnavailable|InternalError|RequestTimeout|XMinioServerNotInitialized|XMinioReadQuorum|XMinioWriteQuorum|SlowDownRead|SlowDownWrite)$/;

/** Whether an error of the S3 client says that the store cannot do it now, so that the same call may succeed later. */
export function isStoreAway(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (code && (NETWORK.test(code) || PASSING.test(code))) return true;
  // The client's own words for an HTTP status that is worth a retry, and for a connection cut before the answer.
  return /^Request failed after|socket hang up|Retries exhausted/.test(message);
}

/** Codes of S3 and MinIO for a store, or a share of it, without room. */
const FULL = /^(XMinioStorageFull|XMinioAdminBucketQuotaExceeded|QuotaExceeded|InsufficientStorage)$/;

/** Whether an error of the S3 client says that there is no room for the object. */
export function isStoreFull(error: unknown): boolean {
  return FULL.test((error as { code?: string })?.code ?? '');
}

/** Whether an error of the S3 client says that there is no such object. */
export function isObjectMissing(error: unknown): boolean {
  const code = (error as { code?: string })?.code;
  return code === 'NoSuchKey' || code === 'NotFound' || code === 'NoSuchBucket';
}
