"""What a program written with the Python client does with a server: prints what it saw as JSON.

Called with the path of a kubeconfig. Every step that the client makes of an answer (typed models, discovery, paging,
watches, the dynamic client) is a check of the answers' form.
"""
import json
import sys

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

config.load_kube_config(sys.argv[1])
core, apps, custom = client.CoreV1Api(), client.AppsV1Api(), client.CustomObjectsApi()
extensions = client.ApiextensionsV1Api()
seen = {}


def status_of(call):
    try:
        call()
        return "no error"
    except ApiException as error:
        body = json.loads(error.body)
        return [error.status, body["reason"], body["message"]]


core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name="python")))

labels = {"app": "web"}
template = client.V1PodTemplateSpec(
    metadata=client.V1ObjectMeta(labels=labels),
    spec=client.V1PodSpec(
        containers=[
            client.V1Container(
                name="main",
                image="web:1",
                resources=client.V1ResourceRequirements(requests={"cpu": "0.5", "memory": "1024Mi"}),
            )
        ]
    ),
)
spec = client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=template)
deployment = client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec)
created = apps.create_namespaced_deployment("python", deployment)
seen["created"] = [created.metadata.generation, created.spec.strategy.type, created.metadata.creation_timestamp.tzname()]
seen["requests"] = created.spec.template.spec.containers[0].resources.requests
created.spec.replicas = 3
seen["replaced"] = apps.replace_namespaced_deployment("web", "python", created).metadata.generation
seen["conflict"] = status_of(lambda: apps.replace_namespaced_deployment("web", "python", created))
patched = apps.patch_namespaced_deployment("web", "python", {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "web:2"}]}}}})
seen["patched"] = patched.spec.template.spec.containers[0].image
scaled = apps.patch_namespaced_deployment_scale("web", "python", {"spec": {"replicas": 5}})
seen["scaled"] = [scaled.kind, scaled.spec.replicas, scaled.status.selector]
seen["missing"] = status_of(lambda: apps.read_namespaced_deployment("no", "python"))
seen["invalid"] = status_of(lambda: core.create_namespaced_config_map("python", {"metadata": {"name": "Upper"}}))[:2]

version = core.list_namespaced_config_map("python").metadata.resource_version
for i in range(7):
    core.create_namespaced_config_map("python", client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"c{i}"), data={"i": str(i)}))
names, token = [], None
while token != "":
    page = core.list_namespaced_config_map("python", limit=3, _continue=token)
    names.append([item.metadata.name for item in page.items])
    token = page.metadata._continue or ""
seen["pages"] = names
seen["selected"] = [d.metadata.name for d in apps.list_deployment_for_all_namespaces(field_selector="metadata.name=web").items]

core.delete_namespaced_config_map("c0", "python")
events = []
watcher = watch.Watch()
for event in watcher.stream(core.list_namespaced_config_map, "python", resource_version=version, timeout_seconds=100):
    events.append([event["type"], event["object"].metadata.name])
    if event["type"] == "DELETED":
        watcher.stop()
seen["events"] = events

names = client.V1CustomResourceDefinitionNames(plural="ships", singular="ship", kind="Ship", list_kind="ShipList")
schema = client.V1JSONSchemaProps(
    type="object",
    properties={"spec": client.V1JSONSchemaProps(type="object", properties={"masts": client.V1JSONSchemaProps(type="integer", minimum=1)})},
)
served = client.V1CustomResourceDefinitionVersion(
    name="v1", served=True, storage=True, schema=client.V1CustomResourceValidation(open_apiv3_schema=schema)
)
definition = client.V1CustomResourceDefinition(
    metadata=client.V1ObjectMeta(name="ships.sea.example.com"),
    spec=client.V1CustomResourceDefinitionSpec(group="sea.example.com", scope="Namespaced", names=names, versions=[served]),
)
extensions.create_custom_resource_definition(definition)
watcher = watch.Watch()
for event in watcher.stream(extensions.list_custom_resource_definition, timeout_seconds=100):
    conditions = event["object"].status.conditions or []
    if any(c.type == "Established" and c.status == "True" for c in conditions):
        watcher.stop()
where = ("sea.example.com", "v1", "python", "ships")
ship = {"apiVersion": "sea.example.com/v1", "kind": "Ship", "metadata": {"name": "one"}, "spec": {"masts": 3}}
seen["custom"] = custom.create_namespaced_custom_object(*where, ship)["spec"]
bad = {**ship, "metadata": {"name": "two"}, "spec": {"masts": 0}}
seen["refused"] = status_of(lambda: custom.create_namespaced_custom_object(*where, bad))

anything = dynamic.DynamicClient(client.ApiClient())
ships = anything.resources.get(api_version="sea.example.com/v1", kind="Ship")
# As text: this release of the client cannot send a dictionary as an apply.
configuration = json.dumps({**ship, "spec": {"masts": 4}})
applied = ships.server_side_apply(
    body=configuration, name="one", namespace="python", field_manager="python", force_conflicts=True
)
seen["applied"] = applied.spec.masts
seen["dynamic"] = [item.metadata.name for item in ships.get(namespace="python").items]
seen["version"] = client.VersionApi().get_code().minor

core.delete_namespace("python", propagation_policy="Foreground")
print(json.dumps(seen))
