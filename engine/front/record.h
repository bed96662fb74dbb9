// Recording: the mode that sees operators run and writes the tape (tape.h), and the tape as
// operators see it.
#pragma once

#include <optional>

#include "engine/front/tape.h"
#include "engine/ops/call.h"
#include "engine/ops/tape.h"

namespace fusillade::eager {

class Recorder : public Mode, public Tape {
 public:
  Recorder() : before_(exchange_tape(this)), in_force_(std::in_place, ModeKind::Autograd, *this) {}
  ~Recorder() override { exchange_tape(before_); }

  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override;

  bool is_enabled() const override { return enabled_; }
  void enable(bool on) override { enabled_ = on; }
  void require_grad(const Tensor& t, bool on) override;
  bool is_leaf(const Tensor& t) const override;
  void detach(const Tensor& t) override;
  void retain_grad(const Tensor& t) override;
  bool retains_grad(const Tensor& t) const override;
  Tensor grad(const Tensor& t) const override;
  std::vector<Tensor> backward(const BackwardCall& call) override;

 private:
  void run(const Operator& op, const Site& site, std::span<const IValue> args,
           std::vector<IValue>& results, bool tracked);
  void record(const Operator& op, const Site& site, std::span<const IValue> args,
              const front::GradientFormulas* formulas, std::vector<IValue>& results);
  void run_composite(const Operator& op, std::span<const IValue> args,
                     std::vector<IValue>& results);
  void note_views(std::span<const IValue> args, std::span<const IValue> results) const;

  bool enabled_ = true;
  Tape* before_;
  std::optional<ModeScope> in_force_;
};

}  // namespace fusillade::eager
