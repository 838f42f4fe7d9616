// Custom resources, the policies and webhooks that writes meet, and a playground for expressions.
import { address, href } from '../../lib/router.ts'
import { Tabs } from '../../ui/parts.tsx'
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
  const { id, View } = parts.find((part) => part.id === second) ?? parts[0]
  return (
    <div class="page">
      <div class="page-head">
        <h1>Definitions & policies</h1>
      </div>
      <Tabs
        label="Definitions"
        current={id}
        tabs={parts.map((part) => ({ ...part, href: href(['definitions', part.id]) }))}
      />
      <View />
    </div>
  )
}
