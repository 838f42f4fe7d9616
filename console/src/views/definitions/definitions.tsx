// Custom resources, the policies and webhooks that writes meet, and a playground for expressions.
import { address, href } from '../../lib/router.ts'
import { Empty, Tabs } from '../../ui/parts.tsx'
import { CustomResources } from './custom-resources.tsx'
import { Playground } from './playground.tsx'
import { Policies } from './policies.tsx'
import './definitions.css'

const parts = [
  { id: 'resources', title: 'Custom resources', View: CustomResources },
  { id: 'policies', title: 'Policies and webhooks', View: Policies },
  { id: 'playground', title: 'Expressions', View: Playground },
] as const

export function DefinitionsView() {
  const [, second = 'resources'] = address.value.path
  const part = parts.find((each) => each.id === second)
  if (part === undefined) return <Empty>There is no such page.</Empty>
  const { id, View } = part
  return (
    <div class="page">
      <div class="page-head">
        <h1>Definitions & policies</h1>
      </div>
      <Tabs
        label="Definitions"
        current={id}
        tabs={parts.map((each) => ({ ...each, href: href(['definitions', each.id]) }))}
      />
      <View />
    </div>
  )
}
