/** A pod whose metadata is the project's own, too. */
import type { KubeObject } from '../api/object.ts'
import type { Pod } from './types/core-v1.ts'

export type PodObject = Pod & KubeObject
