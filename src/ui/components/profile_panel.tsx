import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { foundShares, type StepRow, type StepSummary } from '../../profile/steps.ts';
import type { ExpertSnapshot } from '../../profile/snapshot.ts';
import { useApp } from '../context.ts';
import { formatBytes, formatCount } from '../lib/format.ts';
import { Icon } from './icons.tsx';
import { usePanelFocus } from './panel_focus.ts';
import { ProfileChart } from './profile_chart.tsx';
import { ProfileHeat } from './profile_heat.tsx';
import { formatStepMillis, ProfileTime } from './profile_time.tsx';

const TABLE_ROWS = 8;
/** Decode steps that a point of the chart of shares is taken over. */
const CHART_WINDOW = 8;

/** Why the open model is fast or slow: what its steps take, and where its experts are. Records while it is open. */
export function ProfilePanel(): JSX.Element {
  const { app } = useApp();
  const { layout } = app;
  const open = layout.profileOpen.value;
  const panel = useRef<HTMLElement>(null);
  usePanelFocus(panel, open);
  return (
    <aside ref={panel} id="profile" class="profile" aria-label="Profile" inert={!open} data-testid="profile">
      <div class="settings-head">
        <h2>Profile</h2>
        <button type="button" class="icon-button" aria-label="Close profile" data-panel-close onClick={() => { layout.profileOpen.value = false; }}>
          <Icon name="close" />
        </button>
      </div>
      {open && <Content />}
    </aside>
  );
}

function Content(): JSX.Element {
  const { profile, session } = useApp().app;
  const summary = profile.summary.value;
  const experts = profile.experts.value;
  const steps = profile.steps.value;
  const decode = steps.filter((row) => row.isDecode === 1);
  const onCpu = session.model.value?.info.backend.kind === 'reference';
  return (
    <>
      {summary === null && (
        <p class="hint" data-testid="profile-empty">
          {session.model.value === null ? 'Open a model; its steps are recorded while this panel is open.'
            : 'Recording. Send a message: the numbers come with the first tokens.'}
        </p>
      )}
      {summary !== null && <Tiles summary={summary} />}
      {summary !== null && (
        <Section title="Time of a token">
          <ProfileTime split={summary.split} onCpu={onCpu} />
          {decode.length > 1 && (
            <ProfileChart label="Milliseconds of each decode step" x={decode.map((row) => row.step)} format={(ms) => `${ms} ms`}
              range={(_, max) => [0, Math.max(max, 0.001) * 1.1]}
              series={[{ label: 'Milliseconds a step', color: '--accent', values: decode.map((row) => row.durationMs) }]} />
          )}
        </Section>
      )}
      <Section title="Experts">
        <Experts experts={experts} decode={decode} promotions={summary?.promotions ?? 0} onCpu={onCpu} />
      </Section>
      {steps.length > 0 && <Section title="Last steps"><StepTable steps={steps} /></Section>}
      <Recording />
    </>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return <section aria-label={title}><h3>{title}</h3>{children}</section>;
}

function Tiles({ summary }: { summary: StepSummary }): JSX.Element {
  const tile = (label: string, value: string, testId: string): JSX.Element => (
    <div class="profile-tile"><dt>{label}</dt><dd data-testid={testId}>{value}</dd></div>
  );
  return (
    <dl class="profile-tiles">
      {tile('Steps without a miss', `${(100 * summary.zeroMissShare).toFixed(0)} %`, 'profile-zero-miss')}
      {tile('Time of a token', formatStepMillis(summary.durationMs), 'profile-token-time')}
      {tile('Read a token', formatBytes(summary.bytesRead), 'profile-read')}
      {tile('Uploaded a token', formatBytes(summary.bytesUploaded), 'profile-uploaded')}
    </dl>
  );
}

interface ExpertsProps {
  readonly experts: ExpertSnapshot | null;
  readonly decode: readonly StepRow[];
  /** Mean of a decode step. */
  readonly promotions: number;
  readonly onCpu: boolean;
}

function Experts({ experts, decode, promotions, onCpu }: ExpertsProps): JSX.Element {
  if (experts === null) return <p class="hint">No model with experts is open.</p>;
  const { pool } = experts;
  const unlimited = onCpu ? 'Experts are read when they are first used and stay in memory.'
    : 'All experts are on the device: nothing is fetched for a token.';
  return (
    <>
      {pool === null ? <p class="hint" data-testid="profile-resident">{unlimited}</p> : (
        <div class="profile-pool" data-testid="profile-pool">
          <div class="profile-bar" aria-hidden="true"><span style={{ width: `${(100 * pool.usedSlots) / Math.max(1, pool.slotCount)}%`, background: 'var(--accent)' }} /></div>
          <p class="hint">
            {formatCount(pool.usedSlots)} of {formatCount(pool.slotCount)} slots in use ({formatBytes(pool.byteLength)}), for{' '}
            {formatCount(experts.layers.length * experts.expertCount)} experts
          </p>
          {pool.tierSlotCount > 0 && (
            <p class="hint" data-testid="profile-copies">
              FP4 copies: {formatCount(pool.usedTierSlots)} of {formatCount(pool.tierSlotCount)}; {promotions.toFixed(2)} moved in a token
            </p>
          )}
        </div>
      )}
      {pool !== null && decode.length > 1 && <FoundChart decode={decode} />}
      <ProfileHeat experts={experts} />
    </>
  );
}

/** Where routed experts were found, over the steps. */
function FoundChart({ decode }: { decode: readonly StepRow[] }): JSX.Element {
  const shares = decode.map((_, i) => foundShares(decode.slice(Math.max(0, i - CHART_WINDOW + 1), i + 1)));
  const last = shares.at(-1);
  const percent = (share: number | undefined): number | null => (share === undefined ? null : 100 * share);
  const text = last ? `On the device ${(100 * last.device).toFixed(1)} %, RAM ${(100 * last.memory).toFixed(1)} %, storage ${(100 * last.storage).toFixed(1)} %` : '';
  return (
    <>
      <p class="profile-found" data-testid="profile-found">{text}</p>
      <ProfileChart label={`Where routed experts were found, over the steps. ${text}`} x={decode.map((row) => row.step)} format={(value) => `${value} %`}
        range={(min) => [Math.max(0, Math.floor(Math.min(min, 98) / 2) * 2 - 2), 100.5]}
        series={[
          { label: 'On the device', color: '--accent', values: shares.map((share) => percent(share?.device)) },
          { label: 'or in RAM', color: '--part-fetch', values: shares.map((share) => percent(share ? share.device + share.memory : undefined)) },
        ]} />
    </>
  );
}

function StepTable({ steps }: { steps: readonly StepRow[] }): JSX.Element {
  return (
    <table class="profile-steps" data-testid="profile-steps">
      <thead><tr><th scope="col">Step</th><th scope="col">Time</th><th scope="col">Missed</th><th scope="col">Waits</th><th scope="col">Read</th></tr></thead>
      <tbody>
        {steps.slice(-TABLE_ROWS).reverse().map((row) => (
          <tr key={row.step}>
            <th scope="row">{row.isDecode === 1 ? `Token ${formatCount(row.position)}` : `Prompt, ${formatCount(row.tokens)} tokens`}</th>
            <td>{formatStepMillis(row.durationMs)}</td>
            <td>{formatCount(row.misses)}</td>
            <td>{formatCount(row.missedLayers)}</td>
            <td>{formatBytes(row.bytesRead)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Recording(): JSX.Element {
  const { profile } = useApp().app;
  const choice = (label: string, hint: string, value: typeof profile.timeKernels, testId: string): JSX.Element => (
    <label class="profile-choice">
      <input type="checkbox" data-testid={testId} checked={value.value} onChange={(event) => { value.value = event.currentTarget.checked; }} />
      <span>{label}<small class="hint">{hint}</small></span>
    </label>
  );
  return (
    <Section title="Recording">
      {choice('Time each kernel', 'Where the device can; slows each step.', profile.timeKernels, 'profile-kernels')}
      {choice('Draw into the developer tools', 'As tracks “Hotset” of the Performance panel.', profile.toDevTools, 'profile-devtools')}
      <div class="profile-save">
        <button type="button" class="button small" data-testid="profile-save-trace" onClick={() => void profile.save('trace')}><Icon name="download" size={16} /> Chrome trace</button>
        <button type="button" class="button small" data-testid="profile-save-csv" onClick={() => void profile.save('csv')}><Icon name="download" size={16} /> CSV</button>
      </div>
    </Section>
  );
}
