import {
  containerCommand,
  IMAGE_USER,
  imageOf,
  inContainer,
  LEAGUE,
  PROBE_PORT,
  yamlOf,
} from './container.ts';
import { cronFields, renderInterval } from './interval.ts';
import type { Job, ScheduleFile } from './job.ts';
import { quoteSh, refuseControl, unquotable } from './quote.ts';

/** The file that says that the folder was copied whole. */
const FILLED = '.teamsheet-folder-is-complete';
const GRACE_SECONDS = 120;

/**
 * A volume with the folder and its state, and what runs on it: a deployment of one pod that carries out the schedules of the mappings, with probes, or a
 * job at the interval, of which no two overlap. The pod waits until the folder was copied into its volume. Keys come from a secret of the same name.
 */
export function renderKubernetes(job: Job): readonly ScheduleFile[] {
  const { folder, stateFolder, interval, timezone, ownSchedules } = job;
  const name = job.name.slice(0, LONGEST_NAME).replace(/-$/, '');
  const state = inContainer(stateFolder, folder);
  if (!state.startsWith(`${LEAGUE}/`)) throw unquotable(stateFolder, 'the state outside of the folder');
  refuseControl([folder, ...job.args]);
  const labels = { 'app.kubernetes.io/name': 'teamsheet', 'app.kubernetes.io/instance': name };
  const metadata = { name, labels };
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const pod = { metadata: { labels }, spec: podOf(job, name) };
  const work = ownSchedules
    ? {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        // One pod at a time: the state and the account have one writer.
        spec: {
          replicas: 1,
          strategy: { type: 'Recreate' },
          selector: { matchLabels: labels },
          template: pod,
        },
      }
    : {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata,
        spec: {
          schedule: cronFields(interval),
          timeZone: timezone,
          concurrencyPolicy: 'Forbid',
          jobTemplate: { spec: { backoffLimit: 0, template: pod } },
        },
      };
  const image = imageOf(job);
  const what = ownSchedules
    ? 'the schedules of the mappings'
    : `sync, ${renderInterval(interval)}, ${timezone}`;
  const first = ownSchedules ? [] : [`      kubectl create job --from=cronjob/${name} ${name}-first`];
  const text = `# teamsheet of ${folder}: ${what}.
# Install, in the folder:
#   1. docker build --tag ${image} ${quoteSh(job.packageFolder)}, and push it to a registry that the cluster reads; name it below in place of ${image}.
#   2. kubectl create secret generic ${name} --from-env-file=.env
#   3. kubectl apply -f ${name}.yaml
${first.map((line) => `#${line.slice(1)}\n`).join('')}#   4. The pod waits for its folder. POD=$(kubectl get pod -l app.kubernetes.io/instance=${name} -o name | head -n 1)
#      tar --create --exclude=.env --exclude=${quoteSh(`.${state.slice(LEAGUE.length)}`)} . | kubectl exec -i "$POD" -c folder -- tar --extract
#      kubectl exec "$POD" -c folder -- touch ${FILLED}
# Nothing overlaps. While it runs, type other commands as kubectl exec ${ownSchedules ? `deploy/${name}` : '"$POD"'} -- teamsheet runs. The log: kubectl logs.
# Remove: kubectl delete -f ${name}.yaml, which deletes the state too, and kubectl delete secret ${name}.
${yamlOf(claim, work)}`;
  return [{ name: `${name}.yaml`, text }];
}

/** A job of the cluster adds eleven characters to the name, and a label takes 63. */
const LONGEST_NAME = 52;

function podOf(job: Job, name: string): object {
  const image = imageOf(job);
  const mounts = [
    { name: 'league', mountPath: LEAGUE },
    { name: 'tmp', mountPath: '/tmp' },
  ];
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const probe = { httpGet: { path: '/healthz', port: 'probe' } };
  const main = {
    name: 'teamsheet',
    image,
    // Kubernetes puts variables in the place of $(NAME).
    args: containerCommand(job, '0.0.0.0').map((word) => word.replaceAll('$(', '$$(')),
    env: [
      { name: 'TZ', value: job.timezone },
      ...job.secrets.map((key) => ({ name: key, valueFrom: { secretKeyRef: { name, key } } })),
    ],
    resources: { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    securityContext,
    volumeMounts: mounts,
    ...(job.ownSchedules && {
      ports: [{ name: 'probe', containerPort: PROBE_PORT }],
      startupProbe: { ...probe, periodSeconds: 5, failureThreshold: 24 },
      livenessProbe: { ...probe, periodSeconds: 30, timeoutSeconds: 10, failureThreshold: 3 },
      readinessProbe: { ...probe, periodSeconds: 30, timeoutSeconds: 10 },
    }),
  };
  const waiting = {
    name: 'folder',
    image,
    args: ['sh', '-c', `until [ -e ${FILLED} ]; do sleep 2; done`],
    securityContext,
    volumeMounts: mounts,
  };
  return {
    restartPolicy: job.ownSchedules ? 'Always' : 'Never',
    terminationGracePeriodSeconds: GRACE_SECONDS,
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: IMAGE_USER,
      runAsGroup: IMAGE_USER,
      fsGroup: IMAGE_USER,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    initContainers: [waiting],
    containers: [main],
    volumes: [
      { name: 'league', persistentVolumeClaim: { claimName: name } },
      { name: 'tmp', emptyDir: {} },
    ],
  };
}
