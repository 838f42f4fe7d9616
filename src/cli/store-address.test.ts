import { expect, it } from 'vitest'
import { parseStoreAddress } from './store-address.ts'

it.each([
  ['etcd://root:word@127.0.0.1:2379/registry', '"etcd://...@127.0.0.1:2379/registry" names no host'],
  ['etcds://a:1,root:wo@rd@b:1', '"etcds://...@b:1" names no host'],
  ['https://root:wo/rd@127.0.0.1', '"https://...@127.0.0.1" names no store'],
  ['127.0.0.1:2379', '"127.0.0.1:2379" names no store'],
])('%s is refused, and no password shown', (address, message) => {
  expect(() => parseStoreAddress(address)).toThrow(message)
})
