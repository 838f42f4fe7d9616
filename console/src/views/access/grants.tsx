// A grant: whom, by which binding, of which role, which rule of it.
import { preferredKind } from '../../api/discovery.ts'
import { objectHref } from '../../lib/router.ts'

export interface Named {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly verbs: readonly string[]
}

export interface Grant {
  readonly subject: Named
  readonly binding: Named
  readonly role: Named
  readonly rule: Rule
}

const resources: Readonly<Record<string, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
}

function Rbac({ object }: { readonly object: Named }) {
  const kind = preferredKind('rbac.authorization.k8s.io', resources[object.kind] ?? '')
  const text = `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`
  return kind === undefined ? (
    <span>{text}</span>
  ) : (
    <a class="linked" href={objectHref(kind, object)}>
      {text}
    </a>
  )
}

export const subjectText = ({ kind, namespace, name }: Named): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`

export function ruleText({
  apiGroups = [],
  resources: named = [],
  resourceNames = [],
  nonResourceURLs = [],
  verbs,
}: Rule): string {
  const what = nonResourceURLs.length > 0 ? nonResourceURLs.join(', ') : named.join(', ')
  const groups =
    nonResourceURLs.length > 0 ? '' : ` in ${apiGroups.map((group) => (group === '' ? 'core' : group)).join(', ')}`
  const names = resourceNames.length > 0 ? `, only ${resourceNames.join(', ')}` : ''
  return `${verbs.join(', ')} · ${what}${groups}${names}`
}

export function GrantLine({ grant }: { readonly grant: Grant }) {
  return (
    <span class="wrap">
      {subjectText(grant.subject)} has it by <Rbac object={grant.binding} /> of <Rbac object={grant.role} />:{' '}
      <code>{ruleText(grant.rule)}</code>
    </span>
  )
}

export function GrantTable({
  grants,
  showSubject = true,
}: {
  readonly grants: readonly Grant[]
  readonly showSubject?: boolean
}) {
  return (
    <div class="scroll-x">
      <table class="plain-table">
        <thead>
          <tr>
            {showSubject && <th>Who</th>}
            <th>Binding</th>
            <th>Role</th>
            <th>Rule</th>
          </tr>
        </thead>
        <tbody>
          {grants.map((grant, index) => (
            <tr key={index}>
              {showSubject && <td>{subjectText(grant.subject)}</td>}
              <td>
                <Rbac object={grant.binding} />
              </td>
              <td>
                <Rbac object={grant.role} />
              </td>
              <td>
                <code>{ruleText(grant.rule)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
