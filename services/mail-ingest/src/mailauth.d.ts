/** The part of mailauth that is used; it brings no types. */
declare module 'mailauth' {
  interface Result {
    readonly status?: { readonly result?: string };
    readonly domain?: string;
  }
  export function authenticate(
    input: NodeJS.ReadableStream | Buffer | string,
    options: {
      readonly ip?: string;
      readonly helo?: string;
      readonly sender?: string;
      readonly mta?: string;
      readonly resolver?: (name: string, type: string) => Promise<unknown>;
      readonly disableArc?: boolean;
      readonly disableBimi?: boolean;
    },
  ): Promise<{
    readonly spf?: Result | false;
    readonly dkim?: { readonly results?: readonly Result[] };
    readonly dmarc?: Result | false;
  }>;
}
