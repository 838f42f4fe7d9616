import { expect, it } from 'vitest'
import { typeSchema } from '../../catalog/catalog.ts'
import { nearFields } from './near-field.ts'

it.each([
  ['spec.replicsa', ['replicas']],
  ['spec.template.spec.containers[0].imagePullPolcy', ['imagePullPolicy']],
  ['spec.template.spec.containers[0].resources.limit', ['limits']],
  ['spec.template.metadata.labels.x', []],
  ['sepc', ['spec']],
  ['spec.nowhere.at.all', []],
  ['', []],
])('%s: %j', (path, near) => expect(nearFields(typeSchema('apps.v1.Deployment'), path)).toEqual(near))
