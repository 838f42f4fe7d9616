/** The default `Cache-Control` of answers: private to the client, and never reused without revalidation. */
export const defaultCacheControl = 'no-cache, private'
