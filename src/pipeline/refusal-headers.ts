/** Headers of a 403 that quotes the request: browsers must not sniff its type. */
export const refusalHeaders = { 'X-Content-Type-Options': 'nosniff' }
