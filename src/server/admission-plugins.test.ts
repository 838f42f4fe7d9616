import { expect, it } from 'vitest'
import { implementedPlugins } from '../admission/plugins.ts'
import { admissionPluginNames } from '../config/admission-plugins.ts'

it('makes every admission plugin that the flags know, and no other', () => {
  expect([...implementedPlugins].sort()).toEqual([...admissionPluginNames].sort())
})
