/**
 * Plugins about groups of pods that are scheduled together: a group that is in use stays, what it is made from is there, and a job does
 * not change how many pods its group waits for.
 * Mirrors plugin/pkg/admission/scheduling/podgroupprotection: podGroupProtectionPlugin.
 * Mirrors plugin/pkg/admission/podgroup: PodGroupWorkloadExists.
 * Mirrors plugin/pkg/admission/job: Plugin.
 */
import type { KubeObject } from '../../api/object.ts'
import type { JobSpec } from '../../catalog/types/batch-v1.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'

const group = 'scheduling.k8s.io'
const finalizer = 'scheduling.k8s.io/podgroup-protection'

/** Its pods keep a group: a controller takes the finalizer away when there are none. */
export function podGroupProtection(cluster: Cluster): AdmissionPlugin {
  const isOn = cluster.gate('GenericWorkload')
  const handles = handling(['CREATE'], group, 'podgroups')
  return {
    name: 'PodGroupProtection',
    handles: (shape) => isOn && handles(shape),
    mutate({ object }) {
      const present = object?.metadata.finalizers ?? []
      if (object === undefined || present.includes(finalizer)) return undefined
      return { ...object, metadata: { ...object.metadata, finalizers: [...present, finalizer] } }
    },
  }
}

type PodGroup = KubeObject & {
  readonly spec: {
    readonly schedulingPolicy?: { readonly gang?: object }
    readonly podGroupTemplateRef?: {
      readonly workload?: { readonly workloadName: string; readonly podGroupTemplateName: string }
    } | null
  }
}

type Workload = KubeObject & { readonly spec: { readonly podGroupTemplates?: readonly { readonly name: string }[] } }

/** A group that refers to a template of a workload needs both. */
export function podGroupWorkloadExists(cluster: Cluster): AdmissionPlugin {
  const isOn = cluster.gate('GenericWorkload')
  const workloads = cluster.view<Workload>(group, 'workloads')
  const handles = handling(['CREATE'], group, 'podgroups')
  return {
    name: 'PodGroupWorkloadExists',
    handles: (shape) => isOn && handles(shape),
    validate(request) {
      const { workload: wanted } = (request.object as PodGroup).spec.podGroupTemplateRef ?? {}
      if (wanted === undefined) return undefined
      const name = JSON.stringify(wanted.workloadName)
      const refuse = (why: string): Error => denied(request, `PodGroup rejected: ${why}`)
      return whenReady(workloads.find(request.namespace, wanted.workloadName), (workload) => {
        if (workload === undefined) throw refuse(`Workload ${name} not found`)
        if (workload.metadata.deletionTimestamp !== undefined) throw refuse(`Workload ${name} is being deleted`)
        const templates = workload.spec.podGroupTemplates ?? []
        if (templates.some((template) => template.name === wanted.podGroupTemplateName)) return
        const template = JSON.stringify(wanted.podGroupTemplateName)
        throw refuse(`PodGroupTemplate ${template} not found in Workload ${name}`)
      })
    },
  }
}

type Job = KubeObject & { readonly spec: JobSpec }

/** The pods of a gang are counted: a job with one keeps its parallelism. */
export function jobValidation(cluster: Cluster): AdmissionPlugin {
  const isOn = cluster.gate('GenericWorkload') || cluster.gate('WorkloadWithJob')
  const groups = cluster.view<PodGroup>(group, 'podgroups')
  const handles = handling(['UPDATE'], 'batch', 'jobs')
  const isGang = ({ spec }: PodGroup): boolean => spec.schedulingPolicy?.gang !== undefined
  return {
    name: 'JobValidation',
    handles: (shape) => isOn && handles(shape),
    validate(request) {
      const [job, old] = [request.object as Job, request.oldObject as Job]
      if (job.spec.parallelism === old.spec.parallelism) return undefined
      const refuse = ({ metadata }: PodGroup): Error => {
        const name = JSON.stringify(metadata.name)
        return denied(request, `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${name}`)
      }
      const named = groupOf(old)
      if (named !== undefined) {
        return whenReady(groups.find(request.namespace, named), (found) => {
          if (found !== undefined && isGang(found)) throw refuse(found)
        })
      }
      return whenReady(groups.list(request.namespace), (all) => {
        const found = all.find((each) => isOwnedBy(each, old) && isGang(each))
        if (found !== undefined) throw refuse(found)
      })
    },
  }
}

/** The group that the pods of a job are in by its template. */
const groupOf = ({ spec }: Job): string | undefined =>
  (spec.template.spec as { readonly schedulingGroup?: { readonly podGroupName?: string } }).schedulingGroup
    ?.podGroupName

const isOwnedBy = ({ metadata }: KubeObject, owner: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) === true
