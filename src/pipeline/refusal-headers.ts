/** What goes with a 403 that quotes the request: browsers are not to guess what it is. */
export const refusalHeaders = { 'X-Content-Type-Options': 'nosniff' }
