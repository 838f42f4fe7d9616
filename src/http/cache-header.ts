/** What an answer says to caches unless it says something else: it is for this client, and may change at any time. */
export const defaultCacheControl = 'no-cache, private'
