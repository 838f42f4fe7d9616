// An expression, what it is asked of, and what the server makes of it: value, type, cost.
import { has, whyNot } from '../../api/session.ts'
import { param } from '../../lib/router.ts'
import { Empty, Select } from '../../ui/parts.tsx'
import { PolicyPlayground } from './policy-playground.tsx'
import { RulePlayground } from './rule-playground.tsx'

export function Playground() {
  const [purpose, setPurpose] = param('for', 'policy')
  if (!has('expressions')) return <Empty>{whyNot('expressions')}</Empty>
  return (
    <div class="stack">
      <Select
        label="As"
        value={purpose}
        options={[
          ['policy', 'an expression of an admission policy'],
          ['rule', 'a validation rule of a custom resource'],
        ]}
        onChange={setPurpose}
      />
      {purpose === 'rule' ? <RulePlayground /> : <PolicyPlayground />}
    </div>
  )
}
