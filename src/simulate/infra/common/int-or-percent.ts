/** A number, or a share of a total. Mirrors k8s.io/apimachinery/pkg/util/intstr: GetScaledValueFromIntOrPercent. */
export function scaledValue(value: number | string, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  if (!value.endsWith('%')) throw new Error('invalid value for IntOrString: invalid type: string is not a percentage')
  const percent = Number(value.slice(0, -1))
  if (!Number.isInteger(percent)) {
    const parsing = `strconv.Atoi: parsing ${JSON.stringify(value.slice(0, -1))}: invalid syntax`
    throw new Error(`invalid value for IntOrString: invalid value ${JSON.stringify(value)}: ${parsing}`)
  }
  const share = (percent * total) / 100
  return round === 'up' ? Math.ceil(share) : Math.floor(share)
}
