/**
 * The older record of cluster IPs: a bitmap a configured range. Nothing here is decided by it, but reference servers that
 * share the store still choose addresses from it, so it is kept in step wherever one of them has made it.
 * Mirrors pkg/registry/core/service/allocator: AllocationBitmap.
 */
import { type Cidr, cidrContains, cidrSize, firstIp, formatCidr, type IpAddress } from '../../../../api/ip.ts'
import type { KindServices } from '../../../kind-rules.ts'
import { RangeRecord, rangeDefinition } from './range-record.ts'

const names = ['serviceips', 'secondaryserviceips']
/** Bitmaps of larger ranges cover their beginning only. */
const maxSize = 65_536n

interface Bitmap {
  readonly range: Cidr
  readonly size: number
  readonly record: RangeRecord
}

export class AddressBitmaps {
  readonly #services: KindServices
  readonly #ranges: readonly Cidr[]
  #bitmaps: readonly Bitmap[] | undefined

  constructor(services: KindServices, ranges: readonly Cidr[]) {
    this.#services = services
    this.#ranges = ranges
  }

  async note(address: IpAddress, use: 'taken' | 'free'): Promise<void> {
    if (this.#services.gate('DisableAllocatorDualWrite')) return
    const bitmap = this.#open().find(({ range }) => cidrContains(range, address))
    if (bitmap === undefined) return
    const offset = Number(address.value - firstIp(bitmap.range).value - 1n)
    if (offset < 0 || offset >= bitmap.size) return
    await bitmap.record.updateExisting((used) => {
      if (use === 'taken') used.add(offset)
      else used.delete(offset)
    })
  }

  #open(): readonly Bitmap[] {
    this.#bitmaps ??= this.#ranges.slice(0, names.length).map((range, i) => {
      const all = cidrSize(range) < maxSize ? cidrSize(range) : maxSize
      const size = Math.max(Number(all) - (range.address.family === 'IPv4' ? 2 : 1), 0)
      const storage = this.#services.storage(rangeDefinition())
      const record = new RangeRecord(storage, { name: names[i] as string, range: formatCidr(range), size })
      return { range, size, record }
    })
    return this.#bitmaps
  }
}
