// The findings of a campaign as campaign.json and summary.md report them. They may be very many, so
// of each only what the tables need is kept, and campaign.json gets them one by one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fuzz/campaign/known.h"
#include "fuzz/campaign/store.h"

namespace fusillade::fuzz {

class FindingList {
 public:
  // Both must live as long as this.
  FindingList(const std::vector<FindingRow>& found, const KnownList& known);

  // Placeholder for them in the JSON that put_into() puts them into.
  static constexpr const char* kPlace = "\u0001 findings";
  std::string put_into(const std::string& campaign) const;

  // `found_by` and `known` of campaign.json.
  nlohmann::json found_by(const Store& store, double seconds) const;
  nlohmann::json known_json() const;
  // The sections of open and of closed ones.
  std::string summary() const;

 private:
  struct Listed {
    const FindingRow* row;
    const KnownRecord* muted;
    FindingState state;
    bool is_open() const { return !muted && state != FindingState::Closed; }
  };
  nlohmann::json describe(const Listed& f) const;
  std::string open_rows() const;
  std::string closed_rows() const;

  std::vector<Listed> listed_;
  const KnownList& known_;
};

}  // namespace fusillade::fuzz
