/**
 * What leans on more of Node and V8 than they document, feature by feature. Each makes something faster or smaller and nothing else:
 * where a feature is off, the documented way is taken. A feature is used when
 *
 * - it is not switched off: `PILOTHOUSE_ENGINE_OFF=body-intake,heap-growth`, or `all`;
 * - this Node is one that gains from it and that its tests have run on: a later one may have changed what it leans on, so that it goes without
 *   until the tests have run there.
 */
import process from 'node:process'

export interface EngineFeature {
  readonly name: string
  /** What it leans on, and what it is for. */
  readonly leansOn: string
  /** The major versions of Node that the tests have run on, of those that gain from it (`npm run bench:engine`). */
  readonly majors: readonly number[]
}

export const engineFeatures = {
  bodyIntake: {
    name: 'body-intake',
    leansOn: '`push` of an HTTP/2 stream, by which Node hands in what has come (body-intake.ts)',
    // Before, the usual way takes no longer.
    majors: [24],
  },
  tierUp: {
    name: 'tier-up',
    leansOn: "V8's flag `--interrupt-budget`, set while the process runs (engine-flags.ts)",
    // Later engines have a compiler in between, which makes up for it, and no such flag.
    majors: [20],
  },
  heapGrowth: {
    name: 'heap-growth',
    leansOn: "V8's flag `--heap-growing-percent`, set while the process runs (engine-flags.ts)",
    majors: [20, 22, 24],
  },
  collections: {
    name: 'collections',
    leansOn: "V8's flag `--expose-gc`, set for a moment, and `gc` in a new context (engine-flags.ts)",
    majors: [20, 22, 24],
  },
} as const satisfies Record<string, EngineFeature>

const nodeMajor = Number(process.versions.node.split('.', 1)[0])
const switchedOff: ReadonlySet<string> = new Set((process.env['PILOTHOUSE_ENGINE_OFF'] ?? '').split(','))

/** Whether a feature is to be used by this process. */
export const usesFeature = ({ name, majors }: EngineFeature): boolean =>
  isFeatureUsable({ name, majors }, nodeMajor, switchedOff)

export function isFeatureUsable(
  { name, majors }: Pick<EngineFeature, 'name' | 'majors'>,
  major: number,
  off: ReadonlySet<string>,
): boolean {
  return majors.includes(major) && !off.has(name) && !off.has('all')
}
