/** A server on a disk that is small, almost full, and full to the last byte: what it still does, says, and comes back to. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { ServerProcess } from '../harness/kills/server-process.ts'
import { freePort } from '../support/free-port.ts'
import { hasSmallDisk, SmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const megabyte = 1024 * 1024

describe.skipIf(!hasSmallDisk('servers on small disks'))('a server on a small disk', () => {
  let disk: SmallDisk
  let server: ServerProcess

  async function mount(megabytes: number): Promise<void> {
    disk = await SmallDisk.mount(megabytes)
    server = new ServerProcess({
      folder: disk.outside,
      seenFolder: disk.folder,
      port: await freePort(),
      flags: ['--store=lmdb'],
      wrapper: disk.wrapper,
    })
  }

  afterEach(async () => {
    await server.close()
    disk.close()
  })

  const call = (method: string, path: string, body?: object) => server.client.call(method, path, body)
  const create = async (name: string): Promise<number> =>
    (await call('POST', configMaps, { metadata: { name }, data: { a: 'b' } })).status

  /** Reads, deletes and says why it does nothing else. */
  async function checkReadsAndDeletes(name: string): Promise<void> {
    const refused = await until('a refusal', async () => {
      const answer = await call('POST', configMaps, { metadata: { generateName: 'probe-' } })
      return answer.status === 503 && answer
    })
    expect(refused.body.message).toContain('is almost full')
    expect((await call('GET', '/livez')).status).toBe(200)
    const readyz = await call('GET', '/readyz?verbose')
    expect([readyz.status, String(readyz.body)]).toEqual([500, expect.stringContaining('[-]etcd-readiness failed')])
    expect((await call('GET', `${configMaps}/${name}`)).status).toBe(200)
    expect((await call('DELETE', `${configMaps}/${name}`)).status).toBe(200)
  }

  it('reads and deletes under the reserve and with no byte left, also after a kill, and takes writes when there is room', async () => {
    await mount(64)
    server.start()
    await server.ready()
    for (const name of ['a', 'b', 'kept']) expect(await create(name)).toBe(201)
    disk.leave(4 * megabyte)
    await checkReadsAndDeletes('a')
    disk.leave(0)
    await server.kill()
    server.start()
    await server.answers()
    await checkReadsAndDeletes('b')
    disk.empty()
    await until('a write', async () => (await create(`c-${Date.now()}`)) === 201)
    await server.ready()
    expect((await call('GET', `${configMaps}/kept`)).status).toBe(200)
  })

  it('outlives a disk that fills up at once under large writes, and says that it cannot write', async () => {
    await mount(64)
    server.start()
    await server.ready()
    expect(await create('kept')).toBe(201)
    const large = { value: 'x'.repeat(700_000) }
    disk.leave(3 * megabyte)
    // Several groups at once meet the end of the disk, before its room is looked at again.
    const written = await Promise.all(
      Array.from({ length: 12 }, (_, i) => call('POST', configMaps, { metadata: { name: `large-${i}` }, data: large })),
    )
    const refused = written.filter(({ status }) => status !== 201)
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 503))
    expect(refused.length).toBeGreaterThan(0)
    expect([server.isAlive(), (await call('GET', `${configMaps}/kept`)).status]).toEqual([true, 200])
    await server.kill()
    disk.empty()
    server.start()
    await server.ready()
    for (const [i, { status }] of written.entries())
      if (status === 201) expect((await call('GET', `${configMaps}/large-${i}`)).status).toBe(200)
  })

  it('starts for the first time on a disk that is smaller than the default reserve', async () => {
    await mount(32)
    server.start()
    await server.ready()
    expect(await create('a')).toBe(201)
  })

  it('says why it cannot start for the first time on a disk without room', async () => {
    await mount(16)
    disk.leave(0)
    server.start()
    for (const end = Date.now() + 60_000; server.isAlive() && Date.now() < end; ) await delay(50)
    expect([server.isAlive(), server.output]).toEqual([
      false,
      expect.stringMatching(/ENOSPC|no space left|almost full|No space left/i),
    ])
    expect(server.output).not.toMatch(/\n {4}at |is ready on/)
  })
})
