// Lists and watches of a shard: ranges of the hash of a field.
const all = "'0x0000000000000000', '0x10000000000000000'"
const shard = (b) => [b.metadata.shardInfo, b.metadata.remainingItemCount, b.items?.length ?? b.rows?.length]
const message = (b) => b.message

export default async (t) => {
  const ns = await t.namespace()
  const path = `/api/v1/namespaces/${ns}/configmaps`
  for (const name of ['a', 'b', 'c', 'd']) {
    await t.post(
      path,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { name } } },
      { pick: (b) => b.kind },
    )
  }
  const list = (selector, more = '', options = { pick: shard }) =>
    t.get(`${path}?labelSelector=name${more}&shardSelector=${encodeURIComponent(selector)}`, options)
  const whole = `shardRange(object.metadata.namespace, ${all})`
  await list(whole)
  await list(`  ${whole}||shardRange(object.metadata.namespace,'0x00000000000000ff','0x0000000000000100')`)
  await list(`shardRange(object.metadata.uid, ${all})`)
  await list(`x.shardRange(object.metadata.uid, ${all})`)
  await list("shardRange(object.metadata.uid, '0x0000000000000000', '0x0000000000000001')")
  await list(whole, '&limit=3')
  await t.get(`${path}?limit=3&shardSelector=${encodeURIComponent(whole)}`, {
    pick: (b) => [b.metadata.shardInfo, b.items.length],
  })
  for (const as of ['Table', 'PartialObjectMetadataList']) {
    await list(whole, '', { accept: `application/json;as=${as};v=v1;g=meta.k8s.io`, pick: shard })
  }
  await list('')
  const refused = [
    ' ',
    'x',
    'x.y',
    '[1]',
    '{1:2}',
    'T{}',
    '1 || 2',
    'a || b && c',
    'has(a.b)',
    '[1].all(x, true)',
    'shardRange(',
    'shardRange()',
    `shardRange(object.metadata.name, ${all})`,
    `shardRange(object[0].metadata, ${all})`,
    `${whole} || shardRange(object.metadata.uid, ${all})`,
    "shardRange(object.metadata.uid, x, '0x8000000000000000')",
    "shardRange(object.metadata.uid, '0x0', '0x8')",
    "shardRange(object.metadata.uid, '0xG000000000000000', '0x8000000000000000')",
    "shardRange(object.metadata.uid, '0x20000000000000000', '0x8000000000000000')",
    "shardRange(object.metadata.uid, '0x000000000000000000', '0x8000000000000000')",
    "shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')",
    "shardRange(object.metadata.uid, 'ff', '0x8000000000000000')",
    "shardRange(object.metadata.uid, '0x', '0x8000000000000000')",
    ...['1', '1u', '1.5', 'true', 'null', "b'a'"].map(
      (literal) => `shardRange(object.metadata.uid, ${literal}, '0x8000000000000000')`,
    ),
  ]
  for (const selector of refused) await list(selector, '', { pick: message })
  await list('x', '&watch=true', { pick: message })
  await list('x', '&resourceVersion=abc', { pick: message })
  await list('x', '&fieldSelector=a%3Db', { pick: message })
  const narrowed = (selector) => `${path}?labelSelector=name&shardSelector=${encodeURIComponent(selector)}`
  await t.delete(narrowed('x'), undefined, { pick: message })
  await t.delete(narrowed("shardRange(object.metadata.uid, '0x0000000000000000', '0x0000000000000001')"), undefined, {
    pick: shard,
  })
  await list(whole)
  await t.delete(narrowed(whole), undefined, { pick: shard })
  await list(whole)
}
