/** Addresses of the API's objects: made and read in one place. */
export { type ApiObject, type ApiUrls, apiUrls, type Collection } from './api-urls';
export { idFromUrl, idsFromUrls } from './id-from-url';
