import { type RpcSettings, readRpcSettings } from '@intake/rpc';
import { count, type Environment, milliseconds, positive, readConfig, text, textLike } from '@intake/service';
import type { ObjectStoreOptions } from './object-store/object-store';
import type { RenditionOptions } from './rendition/rendition';

/** Settings of this service. */
export interface Config {
  readonly rpc: RpcSettings;
  readonly objectStore: ObjectStoreOptions;
  /** Page images drawn at the same time. */
  readonly drawers: number;
  /** Office files converted, and PDFs repaired, at the same time. */
  readonly converters: number;
  /** Processes of LibreOffice that wait for a document. */
  readonly officeAhead: number;
  readonly programs: RenditionOptions['programs'];
  /** Where programs are looked for. */
  readonly path: string;
  /** How long a document may wait for its annotation, in milliseconds. */
  readonly unclaimedMs: number;
}

const storeUrl = textLike(/^https?:\/\/[^/\s]+\/?$/, 'a URL such as https://host:9000, without a path');
const bucketName = textLike(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, '3 to 63 small letters, digits, "." and "-"');

/** Reads the settings; throws ConfigError naming every problem. */
export function readSettings(env: Environment): Config {
  const s3 = readConfig(env, {
    url: storeUrl('INTAKE_S3_URL', 'S3-compatible object store, http:// or https://'),
    accessKey: text('INTAKE_S3_ACCESS_KEY', 'who we are to the object store'),
    secretKey: text('INTAKE_S3_SECRET_KEY', 'proves it'),
    bucket: bucketName('INTAKE_S3_BUCKET', 'bucket of this installation; made when it is missing', 'intake'),
    region: text('INTAKE_S3_REGION', 'region the bucket is in; what MinIO calls itself by default', 'us-east-1'),
  });
  const { drawers, converters, officeAhead, office, qpdf, heif, path, unclaimedMs } = readConfig(env, {
    drawers: positive('INTAKE_PAGE_WORKERS', 'child processes that draw page images', 1),
    converters: positive('INTAKE_CONVERTERS', 'child processes that convert office files, and that repair PDFs', 1),
    officeAhead: count(
      'INTAKE_OFFICE_AHEAD',
      'processes of LibreOffice that are started before their document comes, after the first one',
      1,
    ),
    office: text('INTAKE_SOFFICE', 'the program of LibreOffice, by path or name', 'soffice'),
    qpdf: text('INTAKE_QPDF', 'the program that repairs PDFs, by path or name', 'qpdf'),
    heif: text('INTAKE_HEIF_CONVERT', 'the program that reads HEIC and AVIF pictures, by path or name', 'heif-convert'),
    unclaimedMs: milliseconds(
      'INTAKE_UNCLAIMED_MS',
      'documents that were cut and got no annotation are removed after this time, in milliseconds',
      3_600_000,
    ),
    path: text('PATH', 'where programs are looked for', '/usr/local/bin:/usr/bin:/bin'),
  });
  return {
    rpc: readRpcSettings(env),
    objectStore: s3,
    drawers,
    converters,
    officeAhead,
    programs: { office, qpdf, heif },
    path,
    unclaimedMs,
  };
}
