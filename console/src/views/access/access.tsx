// Who may do what, and why: by the server's own authorizers, with the bindings that say so.
import { address, href } from '../../lib/router.ts'
import { Empty, Tabs } from '../../ui/parts.tsx'
import { Mine } from './mine.tsx'
import { TryRequest } from './try-request.tsx'
import { WhoCan } from './who-can.tsx'
import { WhyNot } from './why-not.tsx'

const parts = [
  { id: 'mine', title: 'What may I do', View: Mine },
  { id: 'who-can', title: 'Who can', View: WhoCan },
  { id: 'why', title: 'Why, why not', View: WhyNot },
  { id: 'try', title: 'Try as somebody else', View: TryRequest },
] as const

export function AccessView() {
  const [, second = 'mine'] = address.value.path
  const part = parts.find((each) => each.id === second)
  if (part === undefined) return <Empty>There is no such page.</Empty>
  const { id, View } = part
  return (
    <div class="page">
      <div class="page-head">
        <h1>Access</h1>
      </div>
      <Tabs label="Access" current={id} tabs={parts.map((each) => ({ ...each, href: href(['access', each.id]) }))} />
      <View />
    </div>
  )
}
