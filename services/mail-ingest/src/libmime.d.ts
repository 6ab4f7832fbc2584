/** The part of libmime that is used; it brings no types. */
declare module 'libmime' {
  const libmime: {
    /** Text of a header with its encoded words (RFC 2047) decoded. */
    decodeWords(text: string): string;
  };
  export default libmime;
}
