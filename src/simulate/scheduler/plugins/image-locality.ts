/** Nodes that have the pod's images are liked, the more so the larger and the more widespread they are. Mirrors plugins/imagelocality. */
import type { ImageState, NodeInfo } from '../node-info.ts'
import { type ClusterView, maxNodeScore, type Plugin } from '../plugin.ts'

const mebibyte = 1024 * 1024
const minThreshold = 23 * mebibyte
const maxContainerThreshold = 1000 * mebibyte

export function imageLocalityPlugin(view: ClusterView): Plugin {
  return {
    name: 'ImageLocality',
    weight: 1,
    preScore({ pod: { spec } }) {
      const containers = [...(spec.initContainers ?? []), ...spec.containers]
      const images = containers.map(({ image = '' }) => normalizedImageName(image))
      const maxThreshold = maxContainerThreshold * containers.length
      const total = view.nodes.length
      return {
        score(node) {
          const sum = node.images.size === 0 ? 0 : sumOfImages(node, images, total)
          const clamped = Math.min(Math.max(sum, minThreshold), maxThreshold)
          return Math.trunc((maxNodeScore * (clamped - minThreshold)) / (maxThreshold - minThreshold))
        },
      }
    },
  }
}

function sumOfImages(node: NodeInfo, images: readonly string[], total: number): number {
  let sum = 0
  for (const image of images) {
    const state = node.images.get(image)
    if (state !== undefined) sum += scaledScore(state, total)
  }
  return sum
}

/** An image that few nodes have counts less, so that not all its pods go there. */
const scaledScore = ({ size, nodes }: ImageState, total: number): number => Math.trunc(size * (nodes.size / total))

function normalizedImageName(name: string): string {
  return name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name
}
