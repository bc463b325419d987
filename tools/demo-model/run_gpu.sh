#!/usr/bin/env bash
# Trains, exports and evaluates on one machine with a CUDA GPU, in the background, and waits for it.
#
#   run_gpu.sh smoke            a minute of training, then everything else on a few cases
#   run_gpu.sh train SECONDS    the real run: starts it, or goes on waiting for the one already running here
#
# Set CORPUS to the corpus folder or its .tar.xz, LIMIT and DOCUMENTS to the evaluation's size (cases a task, held-out
# documents). Results are copied to $OUT; the work lies in $WORK. A call returns after
# WAIT seconds at the latest and says how far it is: the same command again waits on.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mode=${1:-smoke}
seconds=${2:-60}
: "${OUT:?the folder for results}"
CORPUS=${CORPUS:-$PWD/.corpus/corpus.tar.xz}
WORK=${WORK:-/tmp/demo-model-$mode}
WAIT=${WAIT:-560}
SEED=${SEED:-1}
export PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=${TOKENIZERS_PARALLELISM:-false} TORCHINDUCTOR_CACHE_DIR=/tmp/demo-model-inductor

pipeline() {
  set -e
  cd "$WORK"
  began=$SECONDS
  corpus=$CORPUS
  if [ -f "$corpus" ]; then
    mkdir -p corpus && tar -C corpus -xJf "$corpus"
    corpus=$(dirname "$(find corpus -name wordnet.jsonl | head -1)")
  fi
  echo "== tokenizer ($((SECONDS - began)) s)"
  TOKENIZERS_PARALLELISM=true python3 source/tokenizer.py --corpus "$corpus" --seed "$SEED" --docs "${TOKENIZER_DOCS:-60000}" \
    --out tokenizer.json
  echo "== training ($((SECONDS - began)) s)"
  # shellcheck disable=SC2086
  python3 source/train.py --corpus "$corpus" --seed "$SEED" --tokenizer tokenizer.json --seconds "$seconds" \
    --out checkpoint.pt ${TRAIN_ARGS:-}
  echo "== export ($((SECONDS - began)) s)"
  python3 source/export.py --checkpoint checkpoint.pt --tokenizer tokenizer.json --gguf demo.gguf --hf hf
  echo "== evaluation ($((SECONDS - began)) s)"
  limit=${LIMIT:-200} documents=${DOCUMENTS:-6000}
  if [ "$mode" = smoke ]; then limit=10 documents=1500; fi
  python3 source/evaluate.py --checkpoint checkpoint.pt --tokenizer tokenizer.json --corpus "$corpus" --hf hf \
    --out evaluation --limit "$limit" --docs "$documents"
  echo "== done ($((SECONDS - began)) s)"
}

mkdir -p "$WORK" "$OUT"
if [ ! -e "$WORK/started" ]; then
  # A copy, so that a later call may bring another working tree.
  cp -r "$here" "$WORK/source"
  touch "$WORK/started"
  export -f pipeline
  export WORK CORPUS SEED mode seconds
  setsid bash -c '(pipeline); echo $? >"$WORK/exit"' >"$WORK/log" 2>&1 </dev/null &
fi
for ((waited = 0; waited < WAIT; waited++)); do
  [ -e "$WORK/exit" ] && break
  sleep 1
done

cp "$WORK/log" "$OUT/log.txt"
for file in tokenizer.json checkpoint.json evaluation/evaluation.json evaluation/evaluation.md; do
  [ -e "$WORK/$file" ] && cp "$WORK/$file" "$OUT/"
done
if [ -e "$WORK/exit" ] && [ -e "$WORK/demo.gguf" ]; then
  # Two parts, for transfers with a limit on a file's size: cat demo.gguf.part* >demo.gguf
  split -b 15500000 "$WORK/demo.gguf" "$OUT/demo.gguf.part"
fi
tail -c 7000 "$WORK/log"
if [ -e "$WORK/exit" ]; then
  echo "finished with $(cat "$WORK/exit")"
  exit "$(cat "$WORK/exit")"
fi
echo "still running: call again"
