/** Expressions that choose devices, compiled once each. Bound: the one that was used longest ago goes. */

import type { BasicDevice, DeviceAttribute } from '../../../catalog/types/resource-v1beta1.ts'
import { deviceSelectorEnvironment } from '../../../cel/device-selector.ts'
import { type AttributeValue, deviceValue } from '../../../cel/device-value.ts'
import type { Program } from '../../../cel/program.ts'
import type { Value } from '../../../cel/values.ts'
import { SideTable } from '../../../lib/memo.ts'

const maxPrograms = 100

/** What is wrong with an expression: `compile` or `runtime`, as messages word it. */
class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

export class DeviceSelectors {
  readonly #programs = new Map<string, Program>()
  readonly #values = new SideTable<BasicDevice, Value>()

  /** Throws a `SelectorError`. */
  matches(expression: string, driver: string, device: BasicDevice): boolean {
    const program = this.#program(expression)
    const result = program.evaluate({ device: this.#value(driver, device) })
    if (result.kind === 'value' && typeof result.value === 'boolean') return result.value
    if (result.kind === 'error') throw new SelectorError(`CEL runtime error: ${result.message}`)
    throw new SelectorError('CEL runtime error: CEL result could not be converted to bool')
  }

  #program(expression: string): Program {
    const known = this.#programs.get(expression)
    const program = known ?? compiled(expression)
    this.#programs.delete(expression)
    this.#programs.set(expression, program)
    if (this.#programs.size > maxPrograms) {
      const [oldest] = this.#programs.keys()
      if (oldest !== undefined) this.#programs.delete(oldest)
    }
    return program
  }

  #value(driver: string, device: BasicDevice): Value {
    const known = this.#values.get(device)
    if (known !== undefined) return known
    try {
      const attributes = Object.entries(device.attributes ?? {}).map(
        ([name, each]) => [name, attributeOf(each)] as const,
      )
      const capacity = Object.entries(device.capacity ?? {}).map(([name, { value }]) => [name, value] as const)
      const value = deviceValue({ driver, attributes, capacity })
      this.#values.set(device, value)
      return value
    } catch (error) {
      throw new SelectorError(`CEL runtime error: ${(error as Error).message}`)
    }
  }
}

function compiled(expression: string): Program {
  const compilation = deviceSelectorEnvironment(true).compile(expression)
  if (compilation.ok) return compilation.program
  throw new SelectorError(`CEL compile error: compilation failed: ${compilation.message}`)
}

function attributeOf({ int, bool, string, version }: DeviceAttribute): AttributeValue {
  if (version !== undefined) return { kind: 'version', value: version }
  const value = int ?? bool ?? string
  if (value === undefined) throw new Error('unsupported attribute value')
  return { kind: 'plain', value }
}
