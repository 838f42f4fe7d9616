// Protobuf in and out: the k8s envelope, a decoded object and list, errors, the reply to a protobuf create, and kinds of bad bytes.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const type = 'application/vnd.kubernetes.protobuf'

  // A small protobuf reader: { field number: [values] }, byte strings left as Buffers.
  const read = (buf) => {
    const out = {}
    let at = 0
    const varint = () => {
      let v = 0,
        shift = 1
      for (;;) {
        if (at >= buf.length) throw new Error('cut short')
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
  const text = (fields, n) => fields[n]?.map((v) => v.toString())
  const envelope = (raw) => {
    const unknown = read(raw.subarray(4))
    const typeMeta = read(unknown[1][0])
    return {
      magic: raw.subarray(0, 4).toString('hex'),
      apiVersion: text(typeMeta, 1)[0],
      kind: text(typeMeta, 2)[0],
      object: read(unknown[2][0]),
    }
  }
  const configMap = (fields) => ({
    fields: Object.keys(fields),
    name: text(read(fields[1][0]), 1)?.[0],
    namespace: text(read(fields[1][0]), 3)?.[0],
    data: fields[2]?.map((e) => `${text(read(e), 1)[0]}=${text(read(e), 2)[0]}`),
  })
  // The same the other way: length-delimited fields only.
  const field = (n, value) => {
    const v = Buffer.from(value)
    return Buffer.concat([Buffer.from([(n << 3) | 2, v.length]), v])
  }
  const wrap = (apiVersion, kind, object) =>
    Buffer.concat([
      Buffer.from('6b387300', 'hex'),
      field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])),
      field(2, object),
    ])

  // An answer that is no protobuf shows as such and does not end the scenario.
  const note = (label, f) => {
    let value
    try {
      value = f()
    } catch {
      value = 'not readable as protobuf'
    }
    t.note(label, value)
  }

  const body = wrap(
    'v1',
    'ConfigMap',
    Buffer.concat([field(1, field(1, 'from-proto')), field(2, Buffer.concat([field(1, 'k'), field(2, 'v')]))]),
  )
  await t.post(cms, body, { type })
  const one = await t.get(`${cms}/from-proto`, { accept: type, noBody: true })
  note('object', () => {
    const e = envelope(one.raw)
    return { ...e, object: configMap(e.object) }
  })
  const list = await t.get(cms, { accept: type, noBody: true })
  note('list', () => {
    const e = envelope(list.raw)
    return { ...e, object: { fields: Object.keys(e.object), items: e.object[2].map((i) => configMap(read(i))) } }
  })
  const missing = await t.get(`${cms}/missing`, { accept: type, noBody: true })
  note('status', () => {
    const e = envelope(missing.raw)
    return {
      ...e,
      object: {
        fields: Object.keys(e.object),
        status: text(e.object, 2)[0],
        message: text(e.object, 3)[0],
        reason: text(e.object, 4)[0],
        code: e.object[6][0],
      },
    }
  })
  await t.get(`${cms}/from-proto`, { accept: `${type},application/json`, noBody: true })
  await t.get(`${cms}/from-proto`, { accept: `application/json,${type}`, noBody: true })
  await t.get('/apis', { accept: type, noBody: true })
  await t.get('/version', { accept: type, noBody: true })
  const partial = await t.get(`${cms}/from-proto`, {
    accept: `${type};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
    noBody: true,
  })
  note('partial', () => ({ ...envelope(partial.raw), object: undefined }))
  await t.get(cms, { accept: `${type};as=Table;g=meta.k8s.io;v=v1` })
  await t.post(cms, Buffer.from('no envelope'), { type })
  await t.post(cms, wrap('v1', 'Secret', field(1, field(1, 'x'))), { type })
  await t.post(cms, wrap('', '', field(1, field(1, 'untyped'))), { type })
  await t.post(cms, Buffer.concat([Buffer.from('6b387300', 'hex'), Buffer.from([0xff, 0xff])]), { type })
  await t.post(cms, body, { type: 'application/json' })
}
