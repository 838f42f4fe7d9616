/** What the answers of operations are called by their status. */
const known: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' }

export const statusWords = (status: number): string => known[status] ?? String(status)
