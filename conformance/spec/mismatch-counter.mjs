// The specification's word: the counter of differing validation results is declarative_validation_mismatch_total; the name that the reference gives it is served as well.
export default async (t) => {
  const text = (await t.get('/metrics', { quiet: true })).raw.toString()
  for (const name of [
    'declarative_validation_mismatch_total',
    'apiserver_validation_declarative_validation_mismatch_total',
  ]) {
    const value = text.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1]
    t.note(name, {
      type: text.match(new RegExp(`^# TYPE ${name} (.*)$`, 'm'))?.[1] ?? 'missing',
      isNumber: value !== undefined && Number.isFinite(Number(value)),
    })
  }
}
