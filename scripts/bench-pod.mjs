// The pods of the benchmarks over HTTP: 2 KiB each in the store, alike but for what is given.
export const benchPod = ({ name, app, tier, node }) => ({
  metadata: { name, labels: { app, tier }, annotations: { note: 'x'.repeat(300) } },
  spec: {
    nodeName: node,
    containers: [
      {
        name: 'main',
        image: 'registry.example.com/team/app:v1',
        args: ['--port=8080'],
        ports: [{ containerPort: 8080 }],
        env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        resources: { requests: { cpu: '100m', memory: '128Mi' } },
        readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
      },
    ],
  },
})
