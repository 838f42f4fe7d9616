// A range that is read in pages, all of one state. A state that is compacted away meanwhile is given up for the newest one, unless the caller
// has named it.
import type { Entry, RangeFound, RangeOptions, RangeResult } from '../store.ts'

/** A page has at most so many entries … */
const maxPage = 512
/** … and about so many bytes, going by the page before. */
const pageBytes = 2 * 1024 * 1024

export type ReadPage = (options: RangeOptions) => Promise<RangeResult>

export async function pagedRange(options: RangeOptions, readPage: ReadPage): Promise<RangeResult> {
  for (;;) {
    const result = await readPages(options, readPage)
    if (result.status === 'ok' || options.revision !== undefined) return result
  }
}

async function readPages(options: RangeOptions, readPage: ReadPage): Promise<RangeResult> {
  const items: Entry[] = []
  const wanted = options.limit || Infinity
  let { startKey, revision } = options
  let size = maxPage
  for (;;) {
    const limit = Math.min(size, wanted - items.length)
    const isLast = items.length + limit === wanted
    const withRemaining = options.withRemaining === true && isLast
    const page = await readPage({ startKey, revision, limit, withRemaining })
    if (page.status !== 'ok') return page
    revision = page.revision
    for (const item of page.items) items.push(item)
    if (isLast || !page.more) return whole(page, items, options)
    startKey = `${page.items.at(-1)?.key ?? ''}\0`
    size = nextSize(page.items)
  }
}

function whole(last: RangeFound, items: readonly Entry[], { withRemaining }: RangeOptions): RangeFound {
  const { status, revision, more } = last
  return { status, revision, items, more, ...(withRemaining ? { remaining: last.remaining ?? 0 } : {}) }
}

function nextSize(items: readonly Entry[]): number {
  let bytes = 0
  for (const { value } of items) bytes += value.byteLength
  return Math.max(1, Math.min(maxPage, Math.floor((items.length * pageBytes) / Math.max(bytes, 1))))
}
