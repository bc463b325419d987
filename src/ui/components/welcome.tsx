import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import type { StarterModel } from '../state/starter.ts';
import { Icon, Logo } from './icons.tsx';
import { PickButtons } from './pick_buttons.tsx';

/** What an empty chat shows: how to get a model, or that it is ready. */
export function Welcome(): JSX.Element {
  const { app } = useApp();
  const opened = app.session.model.value;
  if (!app.ready.value) return <div class="welcome" aria-busy="true" />;
  if (app.starter.value !== null) return <StarterWelcome starter={app.starter.value} />;
  if (opened !== null) {
    return (
      <div class="welcome" data-testid="welcome-ready">
        <Logo size={44} />
        <h2>What would you like to talk about?</h2>
        <p>{opened.info.modelName} runs in this page. Nothing you write leaves it.</p>
      </div>
    );
  }
  return app.library.models.value.some((model) => model.state === 'ready') ? <ChooseModel /> : <FirstVisit />;
}

/** The site's own model, open or on its way: what it is and what it answers well. */
function StarterWelcome({ starter }: { starter: StarterModel }): JSX.Element {
  const { app } = useApp();
  const { live, waitingChatId } = app.conversation;
  const ready = app.session.model.value !== null;
  return (
    <div class="welcome" data-testid="welcome-starter">
      <Logo size={44} />
      <h2>What would you like to talk about?</h2>
      <p>{starter.note}</p>
      <p class="hint">
        {ready ? `${starter.title} runs in this page. Nothing you write leaves it.` : `${starter.title} is on its way. You can write already.`}
      </p>
      <ul class="examples" aria-label="Examples">
        {starter.examples.map((example) => (
          <li key={example}>
            <button type="button" class="button" data-testid="example" disabled={live.value !== null || waitingChatId.value !== null}
              onClick={() => void app.conversation.send(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
      <div class="drop-hint compact">
        <strong>Drop a model of your own anywhere</strong>
        <span>A .gguf file (all shards together), or a folder with config.json, tokenizer.json and .safetensors</span>
        <PickButtons />
      </div>
    </div>
  );
}

function ChooseModel(): JSX.Element {
  const { app } = useApp();
  const busy = app.tasks.current.value !== null;
  const models = app.library.models.value.filter((model) => model.state === 'ready');
  return (
    <div class="welcome" data-testid="welcome-choose">
      <Logo size={44} />
      <h2>{busy ? 'One moment…' : 'Open a model to chat'}</h2>
      {!busy && (
        <div class="choices">
          {models.map((model) => (
            <button key={model.id} type="button" class="button" onClick={() => void app.session.open(model)}>{model.name}</button>
          ))}
        </div>
      )}
    </div>
  );
}

function FirstVisit(): JSX.Element {
  const { app } = useApp();
  const busy = app.tasks.current.value !== null;
  return (
    <div class="welcome" data-testid="welcome-first">
      <Logo size={44} />
      <h2>Large models, in this page</h2>
      <p>
        Hotset runs Mixture-of-Experts language models on your own GPU. The model and everything you write stay in this browser.
      </p>
      <div class="drop-hint">
        <Icon name="download" size={28} />
        <strong>Drop a model anywhere</strong>
        <span>A .gguf file (all shards together), or a folder with config.json, tokenizer.json and .safetensors</span>
        <PickButtons />
      </div>
      {app.starters.value.map((starter) => (
        <div key={starter.file} class="starter">
          <button type="button" class="button primary" data-testid="starter-load" disabled={busy} onClick={() => void app.addStarter(starter)}>
            Load {starter.title}
          </button>
          <p class="hint">{starter.note}</p>
        </div>
      ))}
    </div>
  );
}
