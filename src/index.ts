/**
 * The library: the commands of teamsheet as methods, and the client of the service alone. Nothing here prints.
 */
export { createClient } from './client/client.ts';
export type { ClientOptions } from './client/client.ts';
export { fetchTransport } from './client/fetch-transport.ts';
export { endpoints, OPERATION_IDS, resources } from './contract/index.ts';
export type { BodyOf, OperationId, PagedOperationId, QueryOf, RecordOf } from './contract/index.ts';
export { mappingJsonSchema } from './mapping/parse/json-schema.ts';
export type { Mapping, PullMapping, PushMapping } from './mapping/mapping.ts';
export * from './model/error.ts';
export type { Emit, RunEvent } from './model/event.ts';
export { OUTCOMES } from './model/outcome.ts';
export type { Outcome, OutcomeCounts } from './model/outcome.ts';
export type { Clock, HttpRequest, HttpResponse, Random, Transport, Wrap } from './model/ports.ts';
export { Secret } from './model/secret.ts';
export type { Service } from './model/service.ts';
export type {
  MappingSummary,
  PullSummary,
  PushSummary,
  RequestCounts,
  Run,
  ServiceAccount,
} from './model/state/store.ts';
export type { ReportTab, SourceRow, SourceTable, TableKind, TableLocation } from './model/tables/table.ts';
export { realClock, realRandom } from './runtime/clock.ts';
export { createTeamsheet } from './runtime/create-teamsheet.ts';
export type {
  CallOptions,
  Plan,
  PlanRequest,
  PlanView,
  PullOptions,
  PushOptions,
  ResolveOptions,
  ResumeOptions,
  Teamsheet,
  TeamsheetOptions,
  ValidateOptions,
  ValidationResult,
  VerifyOptions,
  VerifyResult,
} from './runtime/teamsheet.ts';
export type { MappingPlan, PlannedChange } from './plan/saved/push-plan.ts';
export type { RunReport, Stop } from './sync/ports.ts';
export type { PushResult } from './sync/push.ts';
export type { OpenCase, ResolvedCase } from './sync/reconcile/open-cases.ts';
export type { Resolution } from './sync/resolve.ts';
export type { RowIssue } from './sync/validate.ts';
export type { VerifiedMapping, VerifiedRow } from './sync/verify.ts';
