/** Fills an etcd until it raises its NOSPACE alarm, and makes room again as its operators do: delete, compact, defragment, disarm. */
import { setTimeout as delay } from 'node:timers/promises'
import type { EtcdCluster } from '../../contract/store/etcd-process.ts'
import { etcdQuotaBytes } from './deployment.ts'

const fillerBytes = 1024 * 1024
const prefix = '/filler/'
const tries = 100

export async function exhaustQuota(etcd: EtcdCluster): Promise<void> {
  const value = Buffer.alloc(fillerBytes, 'x').toString('base64')
  for (let i = 0; i < (2 * etcdQuotaBytes) / fillerBytes; i++) {
    const answer = await ask(etcd, '/v3/kv/put', { key: base64(`${prefix}${i}`), value })
    if (/space exceeded/.test(answer)) return
  }
  throw new Error('etcd raises no alarm at twice its quota')
}

export async function clearQuota(etcd: EtcdCluster): Promise<void> {
  const deleted = await ask(etcd, '/v3/kv/deleterange', { key: base64(prefix), range_end: base64('/filler0') })
  const { header } = JSON.parse(deleted) as { header: { revision: string } }
  await ask(etcd, '/v3/kv/compaction', { revision: header.revision, physical: true })
  for (const { url } of etcd.members) await post(`${url}/v3/maintenance/defragment`, {})
  for (let i = 0; i < tries; i++) {
    const answer = await ask(etcd, '/v3/maintenance/alarm', { action: 'GET' })
    const { alarms = [] } = JSON.parse(answer) as { alarms?: { memberID: string; alarm: string }[] }
    if (alarms.length === 0) return
    for (const { memberID, alarm } of alarms)
      await ask(etcd, '/v3/maintenance/alarm', { action: 'DEACTIVATE', memberID, alarm })
    await delay(100)
  }
  throw new Error('the alarm of etcd does not go')
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Of the first member that answers for the whole. */
async function ask(etcd: EtcdCluster, path: string, body: object): Promise<string> {
  let last: unknown
  for (let i = 0; i < tries; i++) {
    try {
      return await post(`${etcd.urls[i % etcd.urls.length]}${path}`, body)
    } catch (error) {
      last = error
      await delay(50)
    }
  }
  throw last
}

async function post(url: string, body: object): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(20_000) })
  const text = await response.text()
  // What the alarm refuses is what is waited for; a compaction that has been done before is none the worse.
  if (!response.ok && !/space exceeded|has been compacted/.test(text)) throw new Error(`${url}: ${text}`)
  return text
}
