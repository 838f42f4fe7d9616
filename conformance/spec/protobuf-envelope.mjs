// The Protobuf envelope: prefix, the four fields of the wrapper as sent back, and wrappers that set, omit or reorder them in a request.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const type = 'application/vnd.kubernetes.protobuf'
  const read = (buf) => {
    const out = {}
    let at = 0
    const varint = () => {
      let v = 0,
        shift = 1
      for (;;) {
        const b = buf[at++]
        v += (b & 127) * shift
        if (b < 128) return v
        shift *= 128
      }
    }
    while (at < buf.length) {
      const tag = varint()
      const value =
        (tag & 7) === 2
          ? (() => {
              const n = varint()
              const v = buf.subarray(at, at + n)
              at += n
              return v
            })()
          : varint()
      out[tag >> 3] = [...(out[tag >> 3] ?? []), value]
    }
    return out
  }
  const field = (n, value) => {
    const v = Buffer.from(value)
    return Buffer.concat([Buffer.from([(n << 3) | 2, v.length]), v])
  }
  const prefix = Buffer.from('6b387300', 'hex')
  const typeMeta = (apiVersion, kind) =>
    field(
      1,
      Buffer.concat([
        apiVersion === undefined ? Buffer.alloc(0) : field(1, apiVersion),
        kind === undefined ? Buffer.alloc(0) : field(2, kind),
      ]),
    )
  const raw = (name) =>
    field(2, Buffer.concat([field(1, field(1, name)), field(2, Buffer.concat([field(1, 'k'), field(2, 'v')]))]))
  const envelope = async (label, url, opts) => {
    const r = await t.get(url, { accept: type, quiet: true, ...opts })
    let shown
    try {
      const unknown = read(r.raw.subarray(4))
      const meta = read(unknown[1][0])
      shown = {
        prefix: r.raw.subarray(0, 4).toString('hex'),
        fields: Object.keys(unknown),
        typeMeta: { apiVersion: String(meta[1]?.[0]), kind: String(meta[2]?.[0]) },
        contentEncoding: String(unknown[3]?.[0] ?? ''),
        contentType: String(unknown[4]?.[0] ?? ''),
      }
    } catch {
      shown = 'not readable as an envelope'
    }
    t.note(label, {
      status: r.status,
      type: r.headers['content-type'],
      ...(typeof shown === 'string' ? { shown } : shown),
    })
  }
  const brief = (b) => (b.kind === 'Status' ? b : { kind: b.kind, name: b.metadata.name, data: b.data })
  const send = (...parts) => t.post(cms, Buffer.concat([prefix, ...parts]), { type, pick: brief })

  await send(typeMeta('v1', 'ConfigMap'), raw('plain'))
  await send(raw('raw-first'), typeMeta('v1', 'ConfigMap'))
  await send(typeMeta('v1', 'ConfigMap'), raw('typed'), field(3, ''), field(4, type))
  await send(typeMeta('v1', 'ConfigMap'), raw('encoded'), field(3, 'gzip'))
  await send(typeMeta('v1', 'ConfigMap'), raw('as-json'), field(4, 'application/json'))
  await send(raw('no-type-meta'))
  await send(typeMeta(undefined, 'ConfigMap'), raw('no-version'))
  await send(typeMeta('v1', undefined), raw('no-kind'))
  await send(typeMeta('v1', 'ConfigMap'))
  await send(typeMeta('v1', 'ConfigMap'), raw('more'), field(9, 'unknown field'))
  await t.post(cms, Buffer.concat([Buffer.from('6b387301', 'hex'), typeMeta('v1', 'ConfigMap'), raw('bad-prefix')]), {
    type,
    pick: brief,
  })
  await t.post(cms, prefix, { type, pick: brief })
  await t.put(`${cms}/plain`, Buffer.concat([prefix, typeMeta('v1', 'ConfigMap'), raw('plain')]), { type, pick: brief })

  await envelope('object', `${cms}/plain`)
  await envelope('list', `${cms}?fieldSelector=metadata.name%3Dplain`)
  await envelope('error', `${cms}/missing`)
  await envelope('discovery', '/api/v1')
  await envelope('named group', `/apis/apps/v1/namespaces/${ns}/deployments`)
}
