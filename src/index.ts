/**
 * The library: the use cases that the command line is made of, with the ports that they need. Nothing here prints or reads the process.
 */
export { createClient } from './client/client.ts';
export type { ClientOptions } from './client/client.ts';
export { fetchTransport } from './client/fetch-transport.ts';
export { Observer } from './client/observe.ts';
export { endpoints, OPERATION_IDS, resources } from './contract/index.ts';
export type { BodyOf, OperationId, PagedOperationId, QueryOf, RecordOf } from './contract/index.ts';
export { parseMappings } from './mapping/parse-mappings.ts';
export { mappingJsonSchema } from './mapping/json-schema.ts';
export type { Mapping, PullMapping, PushMapping } from './mapping/mapping.ts';
export * from './model/error.ts';
export { OUTCOMES } from './model/outcome.ts';
export type { Outcome, OutcomeCounts } from './model/outcome.ts';
export type { Learnt, SeenValue, Sighting } from './model/learnt.ts';
export type { Emit, RunEvent } from './model/event.ts';
export type { Clock, HttpRequest, HttpResponse, Random, Transport, Wrap } from './model/ports.ts';
export { Secret } from './model/secret.ts';
export type { Service } from './model/service.ts';
export type {
  Fact,
  Lock,
  MappingSummary,
  PullSummary,
  PushSummary,
  RequestCounts,
  Run,
  ServiceAccount,
  Store,
} from './model/store.ts';
export type { ReportTab, SourceRow, SourceTable, TableKind, TableLocation } from './model/table.ts';
export { createLock, lockFolder } from './state/sqlite-lock.ts';
export { openStore } from './state/sqlite-store.ts';
export { keepLearnt, readLearnt } from './sync/runs/learn.ts';
export { planPush } from './sync/plan/plan-sync.ts';
export { pull } from './sync/pull.ts';
export type { PullPorts } from './sync/pull.ts';
export { push } from './sync/push.ts';
export type { Approve, PushResult } from './sync/push.ts';
export { pushSavedPlan } from './sync/push-saved-plan.ts';
export { openSavedPlan } from './sync/plan/read-saved-plan.ts';
export type { SavedPlan } from './sync/plan/read-saved-plan.ts';
export { resume } from './sync/resume.ts';
export { savedPlanLines } from './sync/plan/saved-plan.ts';
export type { PlanMaker, SavedHeader, SavedRow } from './sync/plan/saved-plan.ts';
export type { PlannedChange, PlannedPush, PlanOptions, RunReport, SyncPorts } from './sync/ports.ts';
export { validateSources } from './sync/validate.ts';
export type { Validation } from './sync/validate.ts';
export { createTables } from './tables/index.ts';
export { createResultFiles } from './tables/result-files.ts';
